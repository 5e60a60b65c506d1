import type { TSchema } from "@sinclair/typebox";

/** A JSON Schema as the exported TypeScript type of this name, with what it says of its fields. */
export const typeText = (name: string, schema: TSchema): string => `export type ${name} = ${typeOf(schema, "")};\n`;

function typeOf(schema: TSchema, indent: string): string {
  if ("const" in schema) return JSON.stringify(schema["const"]);
  const options: readonly TSchema[] | undefined = schema["anyOf"];
  if (options) return [...new Set(options.map((option) => typeOf(option, indent)))].join(" | ");
  if (schema["type"] === "array") return arrayOf(schema["items"], indent);
  if (schema["type"] === "object") return objectOf(schema, indent);
  return schema["type"] === undefined ? "unknown" : (PLAIN[schema["type"]] ?? refuse(schema));
}

const PLAIN: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
};

function refuse(schema: TSchema): never {
  throw new Error(`no type for ${JSON.stringify(schema).slice(0, 200)}`);
}

const arrayOf = (items: TSchema | undefined, indent: string) =>
  items === undefined ? "readonly unknown[]" : `readonly (${typeOf(items, indent)})[]`;

function objectOf({ properties, patternProperties, required = [] }: TSchema, indent: string): string {
  if (patternProperties) {
    const [value = {} as TSchema] = Object.values(patternProperties as Record<string, TSchema>);
    return `{ readonly [name: string]: ${typeOf(value, indent)} }`;
  }
  const deeper = `${indent}  `;
  const fields = Object.entries((properties ?? {}) as Record<string, TSchema>).map(([name, schema]) => {
    const { description } = schema;
    const told = description === undefined ? "" : `${deeper}/** ${description.replaceAll("*/", "* /")} */\n`;
    return `${told}${deeper}readonly ${JSON.stringify(name)}${required.includes(name) ? "" : "?"}: ${typeOf(schema, deeper)};\n`;
  });
  return `{\n${fields.join("")}${indent}}`;
}
