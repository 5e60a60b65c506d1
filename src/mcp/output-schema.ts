import type { TObject, TSchema } from "@sinclair/typebox";
import { choicesOf, type InlineObject, type InlineSchema } from "./inline.ts";

/**
 * What a tool answers, as short as a schema can say it, since a client may read all of them before its first question: each
 * field with its type, each named type once, no bounds and no prose. The HTTP API's document has the rest. Objects stay
 * open, so that a client that keeps the list also reads the answers of a later version.
 */
export function outputSchema(schema: TObject): InlineObject {
  const uses = countUses(schema, new Map());
  const definitions = new Map<string, InlineSchema>();
  const shape = (part: TSchema): InlineSchema => {
    if (part.$id === undefined || part === schema || (uses.get(part.$id) ?? 0) < 2) return shapeOf(part, shape);
    if (!definitions.has(part.$id)) definitions.set(part.$id, shapeOf(part, shape));
    return { $ref: `#/$defs/${part.$id}` };
  };
  const whole = shape(schema);
  return { ...whole, type: "object", ...(definitions.size > 0 && { $defs: Object.fromEntries(definitions) }) };
}

/** Where schemas stand in a schema. */
function partsOf({ properties = {}, anyOf = [], items, patternProperties = {} }: TSchema): readonly TSchema[] {
  return [...Object.values<TSchema>(properties), ...anyOf, ...(items ? [items] : []), ...valuesOf(patternProperties)];
}

const valuesOf = (patternProperties: object): readonly TSchema[] => Object.values(patternProperties);

function countUses(schema: TSchema, uses: Map<string, number>): ReadonlyMap<string, number> {
  if (schema.$id !== undefined) uses.set(schema.$id, (uses.get(schema.$id) ?? 0) + 1);
  for (const part of partsOf(schema)) countUses(part, uses);
  return uses;
}

function shapeOf(schema: TSchema, shape: (part: TSchema) => InlineSchema): InlineSchema {
  const choices = choicesOf(schema);
  if (choices) return { type: choices["type"], enum: choices["enum"] };
  const { type, const: only, required, properties, items, anyOf, patternProperties } = schema;
  if (anyOf !== undefined) return eitherOf(anyOf.map(shape));
  const [values] = valuesOf(patternProperties ?? {});
  return {
    ...(type !== undefined && { type }),
    ...(only !== undefined && { const: only }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries<TSchema>(properties).map(([name, part]) => [name, shape(part)])),
    }),
    ...(required !== undefined && { required }),
    ...(items !== undefined && { items: shape(items) }),
    ...(values !== undefined && { additionalProperties: shape(values) }),
  };
}

/** A plain type or null is one word and a half. */
function eitherOf(shapes: readonly InlineSchema[]): InlineSchema {
  const plain = shapes.every((shape) => Object.keys(shape).join() === "type");
  return plain ? { type: shapes.map(({ type }) => type) } : { anyOf: shapes };
}
