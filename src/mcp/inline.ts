import type { TSchema } from "@sinclair/typebox";

/** A JSON Schema without names: one that occurs twice in a document breaks MCP clients. */
export interface InlineSchema {
  readonly [keyword: string]: unknown;
}

/** The schema of an object, as MCP asks for tools. */
export interface InlineObject extends InlineSchema {
  readonly type: "object";
}

/** @throws Error when the schema is not that of an object. */
export function inlineObject(schema: TSchema): InlineObject {
  const inlined = inline(schema);
  if (inlined["type"] !== "object") throw new Error(`${schema.$id ?? "a schema"} is not that of an object`);
  return { ...inlined, type: "object" };
}

function inline({ $id: _, ...schema }: TSchema): InlineSchema {
  const choices = choicesOf(schema);
  if (choices) return choices;
  return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, inlineKeyword(keyword, value)]));
}

function inlineKeyword(keyword: string, value: unknown): unknown {
  if (keyword === "properties" || keyword === "patternProperties") return inlineAll(value as Record<string, TSchema>); // what the keyword holds
  if (keyword === "anyOf") return (value as TSchema[]).map(inline); // what the keyword holds
  if (keyword === "items") return inline(value as TSchema); // what the keyword holds
  return value;
}

const inlineAll = (schemas: Readonly<Record<string, TSchema>>) =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, inline(schema)]));

/** TypeBox writes a choice of words as a union of literals; models and clients read an enum more easily. */
export function choicesOf({ anyOf, description }: Readonly<Record<string, unknown>>): InlineSchema | undefined {
  if (!Array.isArray(anyOf)) return undefined;
  const words: unknown[] = anyOf.map((choice) => choice.const);
  if (!words.every((word) => typeof word === "string")) return undefined;
  return { type: "string", enum: words, ...(description !== undefined && { description }) };
}
