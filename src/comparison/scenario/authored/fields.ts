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

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;
const KEY_LIKE = /(?:^|_)(?:API_?KEY|KEY|SECRET|TOKEN|PASSWORD|PASSWD|CREDENTIALS?)$/i;
/** Set by abeval, or a way to run something else than what is asked for. */
const OURS =
  /^(?:HOME|PATH|USER|LOGNAME|SHELL|TMPDIR|LD_.*|BUN_BE_BUN|ABEVAL_EVIDENCE|.*_BASE_URL|(?:https?|all|no)_proxy)$/i;

/** Why a scenario cannot set a variable; null: it can. @param keys what to say of keys */
export function variableFault(name: string, keys = "no command is given one"): string | null {
  if (!VARIABLE.test(name)) return "is no name of a variable: expected letters, digits and _";
  if (KEY_LIKE.test(name)) return `looks like a key; leave it out: ${keys}`;
  return OURS.test(name) ? "is set by abeval; leave it out" : null;
}

/** The variables of a fixture, and bytes of the value of one. */
export const MAX_VARIABLES = 100;
export const MAX_VALUE_BYTES = 4_096;

/** Why a variable of a fixture cannot have a value; null: it can. */
export function valueFault(value: string): string | null {
  const bytes = Buffer.byteLength(value);
  if (bytes > MAX_VALUE_BYTES) return `has ${bytes} bytes; at most ${MAX_VALUE_BYTES} are possible`;
  return value.includes("\0") ? "contains a NUL character" : null;
}
