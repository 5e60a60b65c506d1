import { type Static, Type } from "@sinclair/typebox";
import { Count, Digest, ModelRef, nullable, oneOf, record, Share, Slug } from "./schema.ts";
import { TOOL_NAMES } from "./tool.ts";

/**
 * A scenario as it is run, stored and served: every shorthand, `extends`, default and file resolved.
 * What an author may write is `ScenarioFile`.
 */

export const MEASURES = [
  "probe_score",
  "reference_fix",
  "changed_lines",
  "turns",
  "tool_calls",
  "tokens",
  "wall_ms",
  "cost_usd",
] as const;
export type Measure = (typeof MEASURES)[number];

export const SEVERITIES = ["warn", "disqualify"] as const;
export type Severity = (typeof SEVERITIES)[number];

export const Files = Type.Record(Type.String(), Type.String(), {
  description: "File text by path, relative, with forward slashes.",
});
export type Files = Static<typeof Files>;

export const FileSet = record("FileSet", {
  dir: nullable(Type.String(), { description: "Directory relative to the scenario file." }),
  git: Type.Optional(
    record("GitTree", {
      tree: Type.String({
        pattern: "^[0-9a-f]{40,64}$",
        description: "Object id; a ref is resolved when the file is read.",
      }),
    }),
  ),
  files: Files,
  digest: Digest("SHA-256 over the paths and bytes of the directory or the git tree, and the inline files."),
});
export type FileSet = Static<typeof FileSet>;

export const SetupStep = record("SetupStep", {
  run: Type.String({ minLength: 1 }),
  timeout_s: Type.Number({ exclusiveMinimum: 0 }),
});
export type SetupStep = Static<typeof SetupStep>;

export const ProbeCheck = record("ProbeCheck", {
  id: Slug(),
  run: Type.String({ minLength: 1, description: "Shell command, run in a copy of the final workspace." }),
  before: nullable(oneOf(["pass", "fail"]), { description: "What the untouched fixture gives; null when not said." }),
  required: Type.Boolean({ description: "An arm that fails it cannot win against one that passes." }),
  weight: Type.Number({ exclusiveMinimum: 0 }),
  timeout_s: Type.Number({ exclusiveMinimum: 0 }),
  expect_exit: Type.Integer({ minimum: 0, maximum: 255 }),
  output_matches: nullable(Type.String(), {
    description: "Literal text or `/regex/` that stdout and stderr together must contain.",
  }),
});
export type ProbeCheck = Static<typeof ProbeCheck>;

export const Probe = record("Probe", { files: FileSet, checks: Type.Array(ProbeCheck, { minItems: 1 }) });
export type Probe = Static<typeof Probe>;

export const ReferenceFix = record("ReferenceFix", {
  patch: Type.String({ description: "Unified diff against the fixture." }),
  digest: Digest("SHA-256 of the patch."),
});
export type ReferenceFix = Static<typeof ReferenceFix>;

export const Task = record("Task", {
  prompt: Type.String({ minLength: 1, description: "The only text an arm gets besides its own system prompt." }),
  fixture: nullable(FileSet),
  setup: Type.Array(SetupStep),
  probe: nullable(Probe),
  reference_fix: nullable(ReferenceFix),
  deliverable: Type.Array(Type.String(), { description: "Globs of the changes that count as the answer." }),
});
export type Task = Static<typeof Task>;

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
    Type.Integer({ minimum: 0, maximum: 60_000, description: "Waited before the turn, milliseconds." }),
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

export const Budget = record("Budget", {
  max_turns: Type.Integer({ minimum: 1 }),
  max_tokens: Type.Integer({ minimum: 1, description: "Input and output tokens together." }),
  max_seconds: Type.Number({ exclusiveMinimum: 0, description: "Working time; throttling does not count." }),
  max_tool_calls: Type.Integer({ minimum: 1 }),
  max_cost_usd: nullable(Type.Number({ exclusiveMinimum: 0 })),
});
export type Budget = Static<typeof Budget>;

export const Price = record("Price", {
  in: Type.Number({ minimum: 0 }),
  out: Type.Number({ minimum: 0 }),
  cached_in: nullable(Type.Number({ minimum: 0 })),
  cache_write: Type.Optional(nullable(Type.Number({ minimum: 0 }), { description: "Null or absent: as `in`." })),
});
export type Price = Static<typeof Price>;

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

/** The formats in which agents talk to providers: Anthropic's messages, OpenAI's two, and Gemini's. */
export const WIRES = ["anthropic", "chat", "responses", "gemini"] as const;
export type WireName = (typeof WIRES)[number];

export const ExternalAgent = record("ExternalAgent", {
  use: nullable(Type.String(), { description: "Name of a recipe; null: `command` says how it is started." }),
  command: nullable(Type.Array(Type.String(), { minItems: 1 }), {
    description: "Program and arguments, with {prompt} and the like; null: the recipe knows.",
  }),
  install: nullable(Slug(), { description: "Directory below --agents-dir; shown read-only at /opt/agent." }),
  args: Type.Array(Type.String(), { description: "Added to the recipe's command." }),
  files: nullable(FileSet, { description: "Laid into its home directory." }),
  env: Type.Record(Type.String(), Type.String()),
  wires: Type.Array(oneOf(WIRES), {
    description: "It speaks these; the first that the model's provider speaks is used.",
  }),
  tools: Type.Record(Type.String(), oneOf(TOOL_NAMES), { description: "What its own tools are, by their names." }),
  side_model: oneOf(["keep", "same"], {
    description: "Model of its small calls besides the work: the one it asks for, or the arm's.",
  }),
});
export type ExternalAgent = Static<typeof ExternalAgent>;

export const Arm = record("Arm", {
  id: Slug(),
  title: Type.String(),
  model: ModelRef,
  system_prompt: Type.String(),
  tools: Type.Array(oneOf(TOOL_NAMES), { uniqueItems: true }),
  agent: Type.Optional(ExternalAgent),
  mcp: Type.Optional(Type.Array(McpServer, { description: "MCP servers whose tools the arm has, too." })),
  params: ModelParams,
  limits: Type.Partial(Budget, { $id: "ArmLimits", description: "Tightens the policies' budget, never widens it." }),
  price_per_mtok: nullable(Price, { description: "USD per million tokens; null = cost unknown." }),
  script: nullable(Type.Array(ScriptTurn), { description: "What a `scripted/*` model replays." }),
  scripts: Type.Optional(
    Type.Array(WeightedScript, { description: "In the place of `script`: each run replays one, chosen by its seed." }),
  ),
});
export type Arm = Static<typeof Arm>;

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

export const RequiredBehaviour = record("RequiredBehaviour", {
  id: Slug(),
  tool: Type.String({ description: "Name of a tool, or `<server>__<tool>`." }),
  match: nullable(Type.String(), { description: "Glob on the command or path of the call; null = any call." }),
  min: Type.Integer({ minimum: 1 }),
});
export type RequiredBehaviour = Static<typeof RequiredBehaviour>;

export const SeverityPolicy = record("SeverityPolicy", {
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

export const Anchors = Type.Partial(
  Type.Object({ "0": Type.String(), "1": Type.String(), "2": Type.String(), "3": Type.String(), "4": Type.String() }),
  { $id: "Anchors", additionalProperties: false, description: "What a score of 0 to 4 means." },
);

export const JudgedCriterion = record("JudgedCriterion", {
  id: Slug(),
  kind: Type.Literal("judged"),
  question: Type.String({ minLength: 1 }),
  weight: Type.Number({ minimum: 0 }),
  anchors: Anchors,
});
export type JudgedCriterion = Static<typeof JudgedCriterion>;

export const MeasuredCriterion = record("MeasuredCriterion", {
  id: Slug(),
  kind: Type.Literal("measured"),
  measure: oneOf(MEASURES),
  weight: Type.Number({ minimum: 0 }),
});
export type MeasuredCriterion = Static<typeof MeasuredCriterion>;

export const Criterion = Type.Union([JudgedCriterion, MeasuredCriterion], { $id: "Criterion" });
export type Criterion = Static<typeof Criterion>;

export const JudgeConfig = record("JudgeConfig", {
  model: nullable(Type.String(), { description: "Null: the usual order of defaults applies." }),
  probe_visibility: oneOf(["shown", "hidden"]),
  max_evidence_tokens: Count("Evidence shown to the judge per arm, estimated tokens."),
  price_per_mtok: Type.Optional(Price),
});
export type JudgeConfig = Static<typeof JudgeConfig>;

export const Rubric = record("Rubric", {
  instructions: Type.String(),
  tie_margin: Share("Score gap up to which the arms count as equal."),
  criteria: Type.Array(Criterion, { minItems: 1 }),
  judge: JudgeConfig,
});
export type Rubric = Static<typeof Rubric>;

export const ReplayConfig = record("ReplayConfig", {
  ignore: Type.Array(Type.String(), { description: "RE2 patterns: what they match does not tell requests apart." }),
});
export type ReplayConfig = Static<typeof ReplayConfig>;

export const Scenario = record("Scenario", {
  name: Slug(),
  title: Type.String(),
  description: Type.String(),
  tags: Type.Array(Type.String()),
  varies: nullable(Type.Array(Type.String()), {
    description: "The declared difference between the arms: fields of an arm. Null when not declared.",
  }),
  task: Task,
  arms: Type.Array(Arm, { minItems: 2, maxItems: 2 }),
  policies: Policies,
  rubric: Rubric,
  replay: Type.Optional(ReplayConfig),
});
/** Exactly two arms: the schema counts them, the type says it. */
export type Scenario = Omit<Static<typeof Scenario>, "arms"> & { arms: [Arm, Arm] };
