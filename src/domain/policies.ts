import { type Static, Type } from "@sinclair/typebox";
import { nullable, oneOf, record, Slug } from "./schema.ts";

export const SEVERITIES = ["warn", "disqualify"] as const;

export const Budget = record("Budget", {
  max_turns: Type.Integer({ minimum: 1 }),
  max_tokens: Type.Integer({ minimum: 1, description: "Input and output tokens together." }),
  max_seconds: Type.Number({ exclusiveMinimum: 0, description: "Working time; throttling does not count." }),
  max_tool_calls: Type.Integer({ minimum: 1 }),
  max_cost_usd: nullable(Type.Number({ exclusiveMinimum: 0 })),
});
export type Budget = Static<typeof Budget>;

export const CommandPolicy = record("CommandPolicy", {
  deny: Type.Array(Type.String()),
  allow: nullable(Type.Array(Type.String()), { description: "When present, only these may run." }),
  timeout_s: Type.Number({ exclusiveMinimum: 0 }),
  max_output_kb: Type.Number({ exclusiveMinimum: 0 }),
});
export type CommandPolicy = Static<typeof CommandPolicy>;

export const PathPolicy = record("PathPolicy", {
  writable: Type.Array(Type.String()),
  protected: Type.Array(Type.String()),
});
export type PathPolicy = Static<typeof PathPolicy>;

/** Stands in place of a tool's name: calls that read a skill, by the skill's name. */
export const SKILL = "skill";

export const RequiredBehaviour = record("RequiredBehaviour", {
  id: Slug(),
  tool: Type.String({
    description: "Name of a tool, `<server>__<tool>`, or `skill`: then `match` is the skill's name.",
  }),
  match: nullable(Type.String(), { description: "Glob on the command or path of the call; null = any call." }),
  min: Type.Integer({ minimum: 0 }),
  max: Type.Optional(Type.Integer({ minimum: 0, description: "Absent: any number." })),
});
export type RequiredBehaviour = Static<typeof RequiredBehaviour>;

const SeverityPolicy = record("SeverityPolicy", {
  protected_path: oneOf(SEVERITIES),
  denied_command: oneOf(SEVERITIES),
  required: oneOf(SEVERITIES),
});

export const Policies = record("Policies", {
  budget: Budget,
  commands: CommandPolicy,
  paths: PathPolicy,
  network: oneOf(["none", "open"]),
  required: Type.Array(RequiredBehaviour),
  severity: SeverityPolicy,
});
export type Policies = Static<typeof Policies>;

/** Whether rules are held against calls, so that calls which nobody sees are a gap. */
export const hasCallRules = ({ commands, required }: Pick<Policies, "commands" | "required">): boolean =>
  commands.deny.length > 0 || commands.allow !== null || required.length > 0;
