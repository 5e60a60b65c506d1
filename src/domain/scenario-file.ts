import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { ModelPrice } from "./price-list.ts";
import { MEASURES, ModelParams, ScriptTurn, SEVERITIES } from "./scenario.ts";
import { GivenModelRef, MODEL_NAME_CHARS, oneOf, record, SLUG_PATTERN } from "./schema.ts";
import { TOOL_NAMES } from "./tool.ts";

/**
 * What an author may write: shorthands, defaults left out, `extends`, files named by path.
 * What it comes to is `Scenario`. Every description is shown by editors, through the generated JSON Schema.
 */

const optional = <P extends TProperties>(name: string, properties: P, description: string) =>
  Type.Partial(Type.Object(properties), { $id: name, additionalProperties: false, description });

const Text = (description: string) => Type.String({ minLength: 1, description });
const Name = (description: string) => Type.String({ pattern: SLUG_PATTERN, description });
const Seconds = (description: string) => Type.Number({ exclusiveMinimum: 0, maximum: 86_400, description });
const Weight = (description: string) => Type.Number({ minimum: 0, maximum: 1_000_000, description });
const Globs = (description: string) => Type.Array(Type.String(), { maxItems: 500, description });
const Whole = (maximum: number, description: string) => Type.Integer({ minimum: 1, maximum, description });

const GitRef = Text("Branch, tag or hash in the git repository around the scenario file; a hash never changes.");
const GitPath = (what: string) => Text(`${what}, from the top of the repository.`);

const Dir = Text("Directory, relative to the scenario file; may not leave the scenarios directory.");
const InlineFiles = Type.Record(Type.String(), Type.String(), {
  description: "File text by path (relative, forward slashes), laid over `dir`.",
});

export const FixtureFile = Type.Union(
  [
    Dir,
    optional(
      "FixtureMap",
      { dir: Dir, git: GitRef, path: GitPath("With `git`: directory; default everything"), files: InlineFiles },
      "A directory or a commit's files, inline files, or both.",
    ),
  ],
  { description: "What each arm's workspace holds at the start; absent = empty." },
);
export type FixtureFile = Static<typeof FixtureFile>;

export const SetupStepFile = Type.Union(
  [
    Text("Shell command."),
    record("SetupStepMap", {
      run: Text("Shell command, run once a session with the network open."),
      timeout_s: Type.Optional(Seconds("Seconds; default 60.")),
    }),
  ],
  { description: "A command, or a map with `run`." },
);

export const CheckFile = Type.Union(
  [
    Text("Shell command that must exit with 0."),
    record("CheckMap", {
      id: Type.Optional(Name("Default: check-<position>.")),
      run: Text("Shell command, run in a copy of the final workspace."),
      before: Type.Optional(oneOf(["pass", "fail"], { description: "What the untouched fixture gives." })),
      required: Type.Optional(
        Type.Boolean({ description: "An arm that fails it cannot win against one that passes. Default false." }),
      ),
      weight: Type.Optional(
        Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000, description: "Share of the probe's score. Default 1." }),
      ),
      timeout_s: Type.Optional(Seconds("Seconds; default 60.")),
      expect_exit: Type.Optional(Type.Integer({ minimum: 0, maximum: 255, description: "Exit code; default 0." })),
      output_matches: Type.Optional(
        Text("Literal text, or /regex/ (RE2 syntax), that stdout and stderr together must contain."),
      ),
    }),
  ],
  { description: "A command, or a map with `run`." },
);
export type CheckFile = Static<typeof CheckFile>;

export const ProbeFile = record(
  "ProbeFile",
  {
    dir: Type.Optional(Dir),
    files: Type.Optional(InlineFiles),
    checks: Type.Array(CheckFile, { minItems: 1, maxItems: 200, description: "Commands that say what works." }),
  },
  { description: "Hidden from both arms until they have stopped, then laid over a copy of the final workspace." },
);
export type ProbeFile = Static<typeof ProbeFile>;

export const ReferenceFixFile = optional(
  "ReferenceFixFile",
  { patch: Text("File with a unified diff against the fixture."), dir: Dir, files: InlineFiles },
  "A known fix: either `patch`, or the fixed files whole (`dir`, `files`). Evidence, never a gate.",
);
export type ReferenceFixFile = Static<typeof ReferenceFixFile>;

export const TaskFile = record(
  "TaskFile",
  {
    prompt: Text("The only text an arm gets besides its own system prompt."),
    fixture: Type.Optional(FixtureFile),
    setup: Type.Optional(
      Type.Array(SetupStepFile, { maxItems: 50, description: "Run in order before the arms start." }),
    ),
    probe: Type.Optional(ProbeFile),
    reference_fix: Type.Optional(ReferenceFixFile),
    deliverable: Type.Optional(Globs("Which changes count as the answer. Default everything.")),
  },
  { description: "What both arms are asked to do." },
);
export type TaskFile = Static<typeof TaskFile>;

const BudgetLimits = {
  max_turns: Whole(10_000, "Model turns."),
  max_tokens: Whole(1_000_000_000, "Input and output tokens together."),
  max_seconds: Seconds("Working time in seconds; waiting for a throttled provider does not count."),
  max_tool_calls: Whole(100_000, "Tool calls."),
  max_cost_usd: Type.Number({ exclusiveMinimum: 0, maximum: 100_000, description: "US dollars; needs prices." }),
};

export const PriceFile = Type.Partial(
  Type.Object({
    in: Type.Number({ minimum: 0, maximum: 1_000_000, description: "Input." }),
    out: Type.Number({ minimum: 0, maximum: 1_000_000, description: "Output." }),
    cached_in: Type.Number({ minimum: 0, maximum: 1_000_000, description: "Input read from a cache." }),
  }),
  { $id: "PriceFile", additionalProperties: false, description: "US dollars per million tokens; absent = unknown." },
);

export const ArmFile = record(
  "ArmFile",
  {
    id: Name("Name of the arm; not `tie` or `none`."),
    extends: Type.Optional(Name("Id of the arm this one starts from; only the differences need writing.")),
    title: Type.Optional(Text("Default: the id.")),
    model: Type.Optional(GivenModelRef),
    system_prompt: Type.Optional(Type.String({ description: "System prompt; or use system_prompt_file." })),
    system_prompt_file: Type.Optional(
      Type.Union(
        [
          Text("File, relative to the scenario file."),
          record("GitFile", { git: GitRef, path: GitPath("File") }, { description: "A file as a commit has it." }),
        ],
        { description: "File with the system prompt." },
      ),
    ),
    tools: Type.Optional(
      Type.Array(oneOf(TOOL_NAMES), { uniqueItems: true, maxItems: 50, description: "Default: all." }),
    ),
    params: Type.Optional(
      Type.Object(ModelParams.properties, {
        $id: "ParamsFile",
        additionalProperties: false,
        description: "Sent to the model; what is not given is not sent.",
      }),
    ),
    limits: Type.Optional(optional("LimitsFile", BudgetLimits, "Tightens policies.budget for this arm.")),
    price_per_mtok: Type.Optional(
      Type.Union([PriceFile, Type.Null()], {
        description: "US dollars per million tokens; null takes away what `extends` gave.",
      }),
    ),
    script: Type.Optional(
      Type.Union([Type.Array(ScriptTurn, { maxItems: 1_000 }), Type.Null()], {
        description: "The turns that a `scripted/...` model replays; null takes away what `extends` gave.",
      }),
    ),
  },
  { description: "One of the two agents that are compared." },
);
export type ArmFile = Static<typeof ArmFile>;

const RequiredFile = record("RequiredFile", {
  id: Name("Name of the behaviour."),
  tool: oneOf(TOOL_NAMES, { description: "Tool that must be called." }),
  match: Type.Optional(Text("Glob on the command or path of the call; absent = any call.")),
  min: Type.Optional(Whole(10_000, "Calls at least; default 1.")),
});

export const PoliciesFile = optional(
  "PoliciesFile",
  {
    budget: optional("BudgetFile", BudgetLimits, "What each arm may use."),
    commands: optional(
      "CommandsFile",
      {
        deny: Globs("Commands refused, as globs; `*` also matches spaces and slashes."),
        allow: Globs("When given, only these commands may run."),
        timeout_s: Seconds("Seconds for one command; default 60."),
        max_output_kb: Type.Number({
          exclusiveMinimum: 0,
          maximum: 10_240,
          description: "kB of output a model reads of one command; default 64.",
        }),
      },
      "Rules for run_command. A guard rail, not a boundary.",
    ),
    paths: optional(
      "PathsFile",
      {
        writable: Globs("Files an arm may change; default everything."),
        protected: Globs("Files an arm must not change; restored before the probe runs."),
      },
      "Rules for changing files.",
    ),
    network: oneOf(["none", "open"], { description: "Network for commands; default none." }),
    required: Type.Array(RequiredFile, { maxItems: 100, description: "Behaviour that is expected of both arms." }),
    severity: optional(
      "SeverityFile",
      {
        protected_path: oneOf(SEVERITIES, { description: "Default disqualify." }),
        denied_command: oneOf(SEVERITIES, { description: "Only `warn`: a refused command never ran." }),
        required: oneOf(SEVERITIES, { description: "Default warn." }),
      },
      "What a violation leads to.",
    ),
  },
  "Rules for both arms; what is missing takes its default.",
);
export type PoliciesFile = Static<typeof PoliciesFile>;

const AnchorText = (score: string) => Type.String({ description: `What a score of ${score} means.` });

export const CriterionFile = Type.Union(
  [
    Text("A question for the judge."),
    optional(
      "CriterionMap",
      {
        id: Name("Default: made of the question's words, or the measure."),
        question: Text("Judged: scored 0 to 4 by the judge model."),
        measure: oneOf(MEASURES, { description: "Measured: scored by code." }),
        weight: Weight("Default 1."),
        anchors: optional(
          "AnchorsFile",
          {
            "0": AnchorText("0"),
            "1": AnchorText("1"),
            "2": AnchorText("2"),
            "3": AnchorText("3"),
            "4": AnchorText("4"),
          },
          "What the scores mean, by score; only with `question`.",
        ),
      },
      "Either `question` or `measure`.",
    ),
  ],
  { description: "A question, or a map with `question` or `measure`." },
);
export type CriterionFile = Static<typeof CriterionFile>;

export const RubricFile = record(
  "RubricFile",
  {
    instructions: Type.Optional(Type.String({ description: "Text for the judge." })),
    tie_margin: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: "Score gap up to which the arms are equal; default 0.05." }),
    ),
    criteria: Type.Array(CriterionFile, { minItems: 1, maxItems: 50, description: "What decides." }),
    judge: Type.Optional(
      optional(
        "JudgeFile",
        {
          model: Type.String({
            pattern: "^\\S+$",
            maxLength: MODEL_NAME_CHARS,
            description: "Judge model; `builtin/evidence` asks no model.",
          }),
          probe_visibility: oneOf(["shown", "hidden"], {
            description: "Whether the judge sees probe results; default shown.",
          }),
          max_evidence_tokens: Whole(1_000_000, "Evidence shown per arm, estimated tokens; default 12000."),
          price_per_mtok: { ...ModelPrice, description: "US dollars per million tokens of `model`; absent = unknown." },
        },
        "How it is judged.",
      ),
    ),
  },
  { description: "How the arms are compared." },
);
export type RubricFile = Static<typeof RubricFile>;

/** Fields of an arm in which the two may be set up to differ. */
export const VARIABLE_FIELDS = ["model", "system_prompt", "tools", "params", "limits", "price_per_mtok"] as const;
export type VariableField = (typeof VARIABLE_FIELDS)[number];

export const ScenarioFile = record(
  "ScenarioFile",
  {
    name: Name("Equals the file's name without its ending."),
    title: Type.Optional(Text("Default: the name.")),
    description: Type.Optional(Type.String({ description: "What it is about, for people." })),
    tags: Type.Optional(Type.Array(Text("A tag."), { maxItems: 50, description: "For filtering." })),
    varies: Type.Optional(
      Type.Array(oneOf(VARIABLE_FIELDS), {
        maxItems: 10,
        description: "The declared difference between the arms; doctor fails on any other.",
      }),
    ),
    task: TaskFile,
    arms: Type.Array(ArmFile, { minItems: 2, maxItems: 2, description: "Exactly two." }),
    policies: Type.Optional(PoliciesFile),
    rubric: RubricFile,
  },
  { title: "abeval scenario", description: "An A/B comparison of two agents on one task." },
);
export type ScenarioFile = Static<typeof ScenarioFile>;
