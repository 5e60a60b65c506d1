import type { TObject, TSchema } from "@sinclair/typebox";
import { publish, type SchemaObject, withoutPatterns } from "../domain/published-schema.ts";

/**
 * The schema of what a tool answers, as short as possible, since a client may read all of them before its first question:
 * the type of each field, each named type once, no bounds and no prose. The HTTP API's document has the rest. Objects stay
 * open, so that a client that keeps the list can also read the answers of a later version.
 */
export function outputSchema(schema: TObject): InlineObject {
  const uses = new Map<string, number>();
  countUses(schema, uses);
  const definitions = new Map<string, SchemaObject>();
  const shape = (part: TSchema): SchemaObject => {
    if (part.$id === undefined || (uses.get(part.$id) ?? 0) < 2) return shapeOf(part, shape);
    if (!definitions.has(part.$id)) definitions.set(part.$id, shapeOf(part, shape));
    return { $ref: `#/$defs/${part.$id}` };
  };
  const whole = shapeOf(schema, shape);
  return { ...whole, type: "object", ...(definitions.size > 0 && { $defs: Object.fromEntries(definitions) }) };
}

function countUses(schema: TSchema, uses: Map<string, number>): SchemaObject {
  if (schema.$id !== undefined) uses.set(schema.$id, (uses.get(schema.$id) ?? 0) + 1);
  return publish(schema, (part) => countUses(part, uses));
}

/** Keywords that a client needs to read an answer. */
const TOLD = ["type", "const", "enum", "properties", "required", "items", "additionalProperties"];

function shapeOf(schema: TSchema, shape: (part: TSchema) => SchemaObject): SchemaObject {
  const { anyOf, ...published } = withoutPatterns(publish(schema, shape));
  if (anyOf !== undefined) return eitherOf(anyOf as readonly SchemaObject[]); // what publish makes of the keyword
  // `additionalProperties: false` would close the object.
  const isOpen = published["additionalProperties"] !== false;
  const told = TOLD.filter((keyword) => keyword in published && (isOpen || keyword !== "additionalProperties"));
  return Object.fromEntries(told.map((keyword) => [keyword, published[keyword]]));
}

/** A choice of plain types is written as a list of types. */
function eitherOf(shapes: readonly SchemaObject[]): SchemaObject {
  const plain = shapes.every((shape) => Object.keys(shape).join() === "type");
  return plain ? { type: shapes.map(({ type }) => type) } : { anyOf: shapes };
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
