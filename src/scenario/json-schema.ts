import type { TSchema } from "@sinclair/typebox";
import { ScenarioFile } from "../domain/scenario-file.ts";

/**
 * The JSON Schema (2020-12) of what an author may write, as kept in `scenarios/scenario.schema.json` for editors:
 * `# yaml-language-server: $schema=scenario.schema.json` on the first line of a scenario turns it on.
 */
export function scenarioJsonSchema(): string {
  const definitions: Record<string, unknown> = {};
  const root = published(ScenarioFile, definitions, true);
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  return `${JSON.stringify({ $schema, ...root, $defs: definitions }, null, 2)}\n`;
}

type Json = Record<string, unknown>;

/** Named schemas move to `$defs`, so that each is written once. */
function published({ $id, ...schema }: TSchema, definitions: Json, isRoot = false): Json {
  const { anyOf, properties, ...rest } = schema;
  const body: Json = { ...rest };
  if (anyOf) Object.assign(body, choice(anyOf, definitions));
  if (properties) body["properties"] = mapped(properties, definitions);
  if (schema["patternProperties"]) body["patternProperties"] = mapped(schema["patternProperties"], definitions);
  if (schema["items"]) body["items"] = published(schema["items"], definitions);
  if ($id === undefined || isRoot) return body;
  definitions[$id] = body;
  return { $ref: `#/$defs/${$id}` };
}

const mapped = (schemas: Record<string, TSchema>, definitions: Json): Json =>
  Object.fromEntries(Object.entries(schemas).map(([key, schema]) => [key, published(schema, definitions)]));

/** Editors complete the values of an `enum`, not those of a list of constants. */
function choice(variants: readonly TSchema[], definitions: Json): Json {
  const values = variants.map(({ const: constant }): unknown => constant);
  if (values.every((value) => value !== undefined)) return { enum: values };
  return { anyOf: variants.map((variant) => published(variant, definitions)) };
}
