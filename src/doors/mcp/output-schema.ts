import type { TObject, TSchema } from "@sinclair/typebox";
import { publish, type SchemaObject, withoutPatterns } from "../../domain/published-schema.ts";

/**
 * The schema of what a tool answers, as short as possible, since a client may read all of them before its first question:
 * the type of each field, what is repeated once, no bounds and no prose. The HTTP API's document has the rest. A client
 * that keeps the list can also read the answers of a later version: objects stay open, and long vocabularies, which grow.
 */
export const outputSchema = (schema: TObject): InlineObject => ({
  ...nullJoined(shareRepeated(shapeOf(schema))),
  type: "object",
});

/** Keywords that a client needs to read an answer. */
const TOLD = ["type", "const", "enum", "properties", "required", "items", "additionalProperties", "anyOf"];

/** More words than fit here are told as strings: flags, codes of failures, kinds of decisions. Versions add to them. */
const MOST_BYTES_OF_WORDS = 80;

function shapeOf(schema: TSchema): SchemaObject {
  const published = withoutPatterns(publish(schema, shapeOf));
  const words = published["enum"];
  if (words !== undefined)
    return JSON.stringify(words).length > MOST_BYTES_OF_WORDS ? { type: "string" } : { enum: words };
  if ("const" in published) return { const: published["const"] };
  // `additionalProperties: false` would close the object.
  const isOpen = published["additionalProperties"] !== false;
  const told = TOLD.filter((keyword) => keyword in published && (isOpen || keyword !== "additionalProperties"));
  return Object.fromEntries(told.map((keyword) => [keyword, published[keyword]]));
}

/** A choice with null in its shortest words. */
function nullJoined(schema: SchemaObject): SchemaObject {
  const whole = withParts(schema, nullJoined);
  const [shape, none, ...others] = (whole["anyOf"] ?? []) as readonly SchemaObject[];
  if (shape === undefined || none?.["type"] !== "null" || others.length > 0) return whole;
  if (Array.isArray(shape["enum"])) return { enum: [...shape["enum"], null] };
  return "type" in shape ? { ...shape, type: [shape["type"], "null"] } : whole;
}

/** The schema of an object, as MCP asks for tools. */
interface InlineObject extends SchemaObject {
  readonly type: "object";
}

/** The schema without names: one that occurs twice in a document breaks MCP clients. @throws Error for what is no object */
export function inlineObject(schema: TSchema): InlineObject {
  const inlined = publish(schema, inline);
  if (inlined["type"] !== "object") throw new Error(`${schema.$id ?? "a schema"} is not that of an object`);
  return { ...inlined, type: "object" };
}

const inline = (schema: TSchema): SchemaObject => publish(schema, inline);

/** The same schema, with what it repeats written once under `$defs` where that is shorter, named after its first field. */
function shareRepeated(schema: SchemaObject): SchemaObject {
  const uses = usesIn(schema);
  const names = new Map<string, string>();
  const definitions = new Map<string, SchemaObject>();
  const share = (part: SchemaObject, field: string): SchemaObject => {
    const text = JSON.stringify(part);
    if (!isWorthAName(text, uses.get(text) ?? 0)) return withParts(part, share, field);
    const name = names.get(text) ?? unusedName(field, new Set(names.values()));
    if (!names.has(text)) {
      names.set(text, name);
      definitions.set(name, withParts(part, share, field));
    }
    return { $ref: `#/$defs/${name}` };
  };
  const whole = withParts(schema, share);
  return { ...whole, ...(definitions.size > 0 && { $defs: Object.fromEntries(definitions) }) };
}

/** How often each schema stands in this one. What is in a repeated one counts once. */
function usesIn(schema: SchemaObject): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  const count = (part: SchemaObject): SchemaObject => {
    const text = JSON.stringify(part);
    const before = uses.get(text) ?? 0;
    uses.set(text, before + 1);
    return before === 0 ? withParts(part, count) : part;
  };
  withParts(schema, count);
  return uses;
}

/** A schema that is shorter is written again: a reference and a name would be no shorter. */
const LEAST_LENGTH = 60;

const isWorthAName = (text: string, uses: number): boolean => uses > 1 && text.length >= LEAST_LENGTH;

function unusedName(field: string, taken: ReadonlySet<string>): string {
  let name = field;
  for (let number = 2; taken.has(name); number++) name = `${field}${number}`;
  return name;
}

/** The schema with each that stands in it replaced. `field` is the property that it belongs to. */
function withParts(
  schema: SchemaObject,
  replace: (part: SchemaObject, field: string) => SchemaObject,
  field = "",
): SchemaObject {
  const replaced = ([keyword, value]: [string, unknown]): unknown => {
    if (keyword === "properties" || keyword === "$defs") return mapped(value as Record<string, SchemaObject>, replace);
    if (keyword === "anyOf") return (value as readonly SchemaObject[]).map((part) => replace(part, field));
    if (keyword !== "items" && keyword !== "additionalProperties") return value;
    return typeof value === "object" ? replace(value as SchemaObject, field) : value;
  };
  return Object.fromEntries(Object.entries(schema).map((entry) => [entry[0], replaced(entry)]));
}

const mapped = (
  parts: Readonly<Record<string, SchemaObject>>,
  replace: (part: SchemaObject, field: string) => SchemaObject,
) => Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, replace(part, name)]));
