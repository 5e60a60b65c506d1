import type { TObject, TSchema } from "@sinclair/typebox";
import { publish, type SchemaObject, withoutPatterns } from "../../domain/published-schema.ts";

/**
 * The schema of what a tool answers, as short as possible, since a client may read all of them before its first question:
 * the type of each field, no bounds and no prose. The HTTP API's document has the rest. A client that keeps the list can also
 * read the answers of a later version: objects stay open, and so do long vocabularies, which grow.
 */
export const outputSchema = (schema: TObject): InlineObject => ({
  ...shapeOf(schema),
  type: "object",
});

/** Keywords that a client needs to read an answer. */
const TOLD = ["type", "const", "enum", "properties", "required", "items", "additionalProperties", "anyOf"];

/** Longer vocabularies (flags, failure codes, decision kinds) are described as strings, because later versions add words. */
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
  return nullJoined(Object.fromEntries(told.map((keyword) => [keyword, published[keyword]])));
}

/** A choice with null in its shortest words. */
function nullJoined(schema: SchemaObject): SchemaObject {
  const [shape, none, ...others] = (schema["anyOf"] ?? []) as readonly SchemaObject[];
  if (shape === undefined || none?.["type"] !== "null" || others.length > 0) return schema;
  if (Array.isArray(shape["enum"])) return { enum: [...shape["enum"], null] };
  return "type" in shape ? { ...shape, type: [shape["type"], "null"] } : schema;
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
