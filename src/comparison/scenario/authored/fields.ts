import { type TProperties, Type } from "@sinclair/typebox";
import { SLUG_PATTERN } from "../../../domain/schema.ts";

/** Fields that several parts of a scenario file have. Editors show every description, through the generated JSON Schema. */

/** A map in which every field may be left out. */
export const optional = <P extends TProperties>(name: string, properties: P, description: string) =>
  Type.Partial(Type.Object(properties), { $id: name, additionalProperties: false, description });

export const Text = (description: string) => Type.String({ minLength: 1, description });
export const Name = (description: string) => Type.String({ pattern: SLUG_PATTERN, description });
export const Seconds = (description: string) => Type.Number({ exclusiveMinimum: 0, maximum: 86_400, description });
export const Globs = (description: string) => Type.Array(Type.String(), { maxItems: 500, description });
export const Whole = (maximum: number, description: string) => Type.Integer({ minimum: 1, maximum, description });

export const GitRef = Text("Branch, tag or hash in the git repository around the scenario file; a hash never changes.");
export const GitPath = (what: string) => Text(`${what}, from the top of the repository.`);

export const Dir = Text("Directory, relative to the scenario file; may not leave the scenarios directory.");
export const InlineFiles = Type.Record(Type.String(), Type.String(), {
  description: "File text by path (relative, forward slashes), laid over `dir`.",
});

/** What an arm may use: in `policies.budget` for both arms, in `limits` less for one. */
export const BUDGET_LIMITS = {
  max_turns: Whole(10_000, "Model turns."),
  max_tokens: Whole(1_000_000_000, "Input and output tokens together."),
  max_seconds: Seconds("Working time in seconds; waiting for a throttled provider does not count."),
  max_tool_calls: Whole(100_000, "Tool calls."),
  max_cost_usd: Type.Number({ exclusiveMinimum: 0, maximum: 100_000, description: "US dollars; needs prices." }),
};
