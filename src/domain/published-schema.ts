import type { TSchema } from "@sinclair/typebox";

/** A schema as a document holds it. */
export interface SchemaObject {
  readonly [keyword: string]: unknown;
}

/**
 * The schema as a reader or generator of JSON Schema likes it: without its name, and with an `enum` where TypeBox writes a
 * choice of words as a union of constants. `publishPart` decides what stands for each schema in it.
 */
export function publish(schema: TSchema, publishPart: (part: TSchema) => SchemaObject): SchemaObject {
  const words = wordsOf(schema);
  const keywords = Object.entries(schema).filter(([keyword]) => keyword !== "$id");
  if (words === undefined)
    return Object.fromEntries(keywords.map(([keyword, value]) => [keyword, keywordOf(keyword, value, publishPart)]));
  return { ...Object.fromEntries(keywords.filter(([keyword]) => keyword !== "anyOf")), type: "string", enum: words };
}

function wordsOf({ anyOf }: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  if (!Array.isArray(anyOf)) return undefined;
  const words: unknown[] = anyOf.map((choice) => choice.const);
  return words.every((word) => typeof word === "string") ? words : undefined;
}

/** The casts are to what a keyword holds; TypeBox types keywords as any. */
function keywordOf(keyword: string, value: unknown, publishPart: (part: TSchema) => SchemaObject): unknown {
  if (keyword === "anyOf") return (value as readonly TSchema[]).map(publishPart);
  if (keyword === "items") return publishPart(value as TSchema);
  if (keyword !== "properties" && keyword !== "patternProperties") return value;
  const fields = Object.entries(value as Readonly<Record<string, TSchema>>);
  return Object.fromEntries(fields.map(([name, field]) => [name, publishPart(field)]));
}

/** The same with a map's values under `additionalProperties`, for readers that do not know `patternProperties`. */
export function withoutPatterns({ patternProperties, ...schema }: SchemaObject): SchemaObject {
  if (patternProperties === undefined) return schema;
  const [values] = Object.values(Object(patternProperties));
  return { ...schema, additionalProperties: values ?? true };
}
