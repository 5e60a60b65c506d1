import { type Static, Type } from "@sinclair/typebox";
import { ArmEndpoint, ArmProgram } from "./answering.ts";
import { ExternalAgent } from "./external-agent.ts";
import { Budget } from "./policies.ts";
import { Price } from "./price-list.ts";
import { Ran } from "./ran.ts";
import { described, ModelRef, nullable, oneOf, record, Slug } from "./schema.ts";
import { FileSet } from "./task.ts";
import { effectOf, TOOL_NAMES } from "./tool.ts";

export const ScriptCall = Type.Record(Type.String(), Type.Unknown(), {
  minProperties: 1,
  maxProperties: 1,
  description: "One tool call: the tool's name and its input.",
});
export type ScriptCall = Static<typeof ScriptCall>;

export const ScriptTurn = record("ScriptTurn", {
  say: Type.Optional(Type.String({ description: "What the model says." })),
  calls: Type.Optional(Type.Array(ScriptCall, { description: "Tool calls; a turn without any is the final answer." })),
  delay_ms: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 60_000, description: "Milliseconds to wait before the turn." }),
  ),
});
export type ScriptTurn = Static<typeof ScriptTurn>;

export const WeightedScript = record("WeightedScript", {
  weight: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1_000_000,
    description: "How often it is chosen, relative to the weights of the others.",
  }),
  turns: Type.Array(ScriptTurn, { minItems: 1, maxItems: 1_000, description: "What it says and calls, turn by turn." }),
});
export type WeightedScript = Static<typeof WeightedScript>;

export const ModelParams = record("ModelParams", {
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2, description: "Sampling temperature." })),
  top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: "Nucleus sampling." })),
  max_output_tokens: Type.Optional(Type.Integer({ minimum: 1, description: "Tokens of one model turn." })),
});
export type ModelParams = Static<typeof ModelParams>;

/** No underscore: names of tools have two behind it. It begins with a letter, since maps sort keys that are numbers. */
export const MCP_SERVER_NAME = "^[a-z][a-z0-9-]{0,31}$";

export const McpServer = record("McpServer", {
  name: Type.String({ pattern: MCP_SERVER_NAME, description: "Its tools are called `<name>__<tool>`." }),
  install: Slug({ description: "Directory below --agents-dir; shown read-only at /opt/mcp/<name>." }),
  command: Type.Array(Type.String(), { minItems: 1, description: "Program and arguments; it speaks MCP over stdio." }),
  tools: nullable(Type.Array(Type.String()), { description: "The tools to offer, by the server's names; null: all." }),
  timeout_s: Type.Number({ exclusiveMinimum: 0, description: "For one call." }),
});
export type McpServer = Static<typeof McpServer>;

export const Arm = record("Arm", {
  id: Slug(),
  title: Type.String(),
  model: ModelRef,
  prompt: Type.Optional(
    Type.String({ minLength: 1, description: "In the place of the task's prompt, for this arm. Absent: the task's." }),
  ),
  system_prompt: Type.String(),
  tools: Type.Array(oneOf(TOOL_NAMES), { uniqueItems: true }),
  agent: Type.Optional(ExternalAgent),
  files: Type.Optional(described(FileSet, "Copied over its workspace before it starts; not part of its work.")),
  mcp: Type.Optional(Type.Array(McpServer, { description: "MCP servers whose tools the arm has, too." })),
  params: ModelParams,
  limits: Type.Partial(Budget, { $id: "ArmLimits", description: "Tightens the policies' budget, never widens it." }),
  price_per_mtok: nullable(Price, { description: "USD per million tokens; null = cost unknown." }),
  script: nullable(Type.Array(ScriptTurn), { description: "What a `scripted/*` model replays." }),
  scripts: Type.Optional(
    Type.Array(WeightedScript, { description: "In place of `script`: each run replays one, chosen by its seed." }),
  ),
  ran: Type.Optional(Ran),
  endpoint: Type.Optional(ArmEndpoint),
  program: Type.Optional(ArmProgram),
});
export type Arm = Static<typeof Arm>;

/** Whether it can leave no file. Nobody knows what the tools of an MCP server or of an agent write. */
export const canOnlyRead = ({ tools, agent, mcp = [], ran, program }: Arm): boolean =>
  program === undefined &&
  agent === undefined &&
  mcp.length === 0 &&
  ran === undefined &&
  tools.every((tool) => effectOf(tool) === "read");

/** Every script that the arm may replay. */
export const scriptsOf = ({ script, scripts }: Pick<Arm, "script" | "scripts">): readonly WeightedScript[] =>
  scripts ?? (script === null ? [] : [{ weight: 1, turns: script }]);
