import type { TSchema } from "@sinclair/typebox";
import { ScenarioFile } from "../src/comparison/scenario/authored/scenario-file.ts";
import { publish, type SchemaObject } from "../src/domain/published-schema.ts";

/**
 * The JSON Schema (2020-12) of what an author may write, as kept in `scenarios/scenario.schema.json` for editors:
 * `# yaml-language-server: $schema=scenario.schema.json` on the first line of a scenario turns it on.
 */
export function scenarioJsonSchema(): string {
  const definitions: Record<string, SchemaObject> = {};
  // Named schemas move to `$defs`, so that each is written once.
  const referTo = (part: TSchema): SchemaObject => {
    const published = publish(part, referTo);
    if (part.$id === undefined) return published;
    definitions[part.$id] = published;
    return { $ref: `#/$defs/${part.$id}` };
  };
  const root = publish(ScenarioFile, referTo);
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  return `${JSON.stringify({ $schema, ...root, $defs: definitions }, null, 2)}\n`;
}
