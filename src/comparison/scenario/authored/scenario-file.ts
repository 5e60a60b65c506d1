import { type Static, Type } from "@sinclair/typebox";
import { MAX_ARMS } from "../../../domain/defaults.ts";
import { JUDGE_NAME_CHARS } from "../../../domain/panel.ts";
import { SEVERITIES } from "../../../domain/policies.ts";
import { ModelPrice } from "../../../domain/price-list.ts";
import { MEASURES } from "../../../domain/rubric.ts";
import { MODEL_NAME_CHARS, oneOf, record } from "../../../domain/schema.ts";
import { SERIES_MEASURES } from "../../../domain/series-record.ts";
import { ArmFile } from "./arm-file.ts";
import { BUDGET_LIMITS, Globs, Name, optional, Seconds, Text, Whole } from "./fields.ts";
import { TaskFile } from "./task-file.ts";

const AnchorText = (score: string) => Type.String({ description: `What a score of ${score} means.` });

const AnchorsFile = Type.Partial(
  Type.Object({
    "0": AnchorText("0"),
    "1": AnchorText("1"),
    "2": AnchorText("2"),
    "3": AnchorText("3"),
    "4": AnchorText("4"),
  }),
  {
    $id: "AnchorsFile",
    additionalProperties: false,
    // The YAML language server takes `0:` for a number, which is none of the properties above.
    patternProperties: { "^[0-4]$": Type.String() },
    description: "What the scores mean, by score; only with `question`.",
  },
);

const Weight = (description: string) => Type.Number({ minimum: 0, maximum: 1_000_000, description });

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
        anchors: AnchorsFile,
      },
      "Either `question` or `measure`.",
    ),
  ],
  { description: "A question, or a map with `question` or `measure`." },
);
export type CriterionFile = Static<typeof CriterionFile>;

const JudgeName = (maxLength: number) => Type.String({ pattern: "^[^\\s,]+(, *[^\\s,]+)*$", maxLength });

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
          model: Type.Union(
            [JudgeName(JUDGE_NAME_CHARS), Type.Array(JudgeName(MODEL_NAME_CHARS), { minItems: 1, maxItems: 5 })],
            {
              description: "Judge model; three or five judge as a panel. `builtin/evidence` asks no model.",
            },
          ),
          probe_visibility: oneOf(["shown", "hidden"], {
            description: "Whether the judge sees probe results; default shown.",
          }),
          max_evidence_tokens: Whole(1_000_000, "Evidence shown per arm, estimated tokens; default 12000."),
          price_per_mtok: {
            ...ModelPrice,
            description: "US dollars per million tokens of `model`; absent = unknown; not for a panel.",
          },
        },
        "How it is judged.",
      ),
    ),
  },
  { description: "How the arms are compared." },
);
export type RubricFile = Static<typeof RubricFile>;

const RequiredFile = record("RequiredFile", {
  id: Name("Name of the behaviour."),
  tool: Type.Optional(Text("Tool that must be called; one of an MCP server as `<server>__<tool>`.")),
  skill: Type.Optional(Text("In the place of `tool`: name of a skill that an agent must read.")),
  match: Type.Optional(Text("Glob on the command or path of the call; absent = any call.")),
  min: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 10_000, description: "Calls at least; default 1, with `max: 0` 0." }),
  ),
  max: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 10_000, description: "Calls at most; 0 forbids. Default any number." }),
  ),
});

export const PoliciesFile = optional(
  "PoliciesFile",
  {
    budget: optional("BudgetFile", BUDGET_LIMITS, "What each arm may use."),
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

/** Fields of an arm in which the two may be set up to differ. */
export const VARIABLE_FIELDS = [
  "model",
  "agent",
  "files",
  "prompt",
  "system_prompt",
  "tools",
  "mcp",
  "params",
  "limits",
  "price_per_mtok",
  "ran",
  "endpoint",
  "program",
] as const;
export type VariableField = (typeof VARIABLE_FIELDS)[number];

const ReplayFile = optional(
  "ReplayFile",
  {
    ignore: Type.Array(Text("Literal text, or /regex/ (RE2 syntax)."), {
      maxItems: 50,
      description: "What varies by chance in requests, such as a port: it does not tell a request from a recorded one.",
    }),
  },
  "How a recorded run is replayed.",
);

/**
 * What an author may write: shorthands, defaults left out, `extends`, files named by path. `resolve/` makes a `Scenario` of it.
 */
export const ScenarioFile = record(
  "ScenarioFile",
  {
    name: Name("Equals the file's name without its ending."),
    title: Type.Optional(Text("Default: the name.")),
    description: Type.Optional(Type.String({ description: "What it is about, for people." })),
    tags: Type.Optional(Type.Array(Text("A tag."), { maxItems: 50, description: "For filtering." })),
    varies: Type.Optional(
      Type.Array(oneOf(VARIABLE_FIELDS), {
        maxItems: VARIABLE_FIELDS.length,
        description: "The declared difference between the arms; doctor fails on any other.",
      }),
    ),
    measure: Type.Optional(
      oneOf(SERIES_MEASURES, {
        description:
          "What a series measures: `solved` by the required checks, `score` by checks with a number, or `preferred` by the verdict. Without a question the default is `solved` with required checks, else `score` with a number; with one it is `preferred`.",
      }),
    ),
    control: Type.Optional(Name("Arm that the other one is compared with; it changes words alone.")),
    inputs: Type.Optional(
      Type.Array(Type.Record(Type.String(), Type.Unknown()), {
        minItems: 1,
        description: "Rows: the values that replace `{{<column>}}` in texts, and an `id`. Each row runs on its own.",
      }),
    ),
    inputs_file: Type.Optional(Text("File with the rows, .csv, .jsonl or .yaml, relative to the scenario file.")),
    cluster: Type.Optional(
      Text(
        "Column of the inputs that names what rows share: rows with one value count as their mean, since they are no new evidence.",
      ),
    ),
    task: TaskFile,
    arms: Type.Array(ArmFile, {
      minItems: 2,
      maxItems: MAX_ARMS,
      description: `2 to ${MAX_ARMS}; more than two make a contest.`,
    }),
    policies: Type.Optional(PoliciesFile),
    rubric: RubricFile,
    replay: Type.Optional(ReplayFile),
  },
  { title: "abeval scenario", description: "An A/B comparison of two agents on one task." },
);
export type ScenarioFile = Static<typeof ScenarioFile>;
