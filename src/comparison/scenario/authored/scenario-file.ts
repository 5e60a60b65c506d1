import { type Static, Type } from "@sinclair/typebox";
import { oneOf, record } from "../../../domain/schema.ts";
import { ArmFile } from "./arm-file.ts";
import { Name, optional, Text } from "./fields.ts";
import { PoliciesFile } from "./policies-file.ts";
import { RubricFile } from "./rubric-file.ts";
import { TaskFile } from "./task-file.ts";

/** Fields of an arm in which the two may be set up to differ. */
export const VARIABLE_FIELDS = [
  "model",
  "agent",
  "files",
  "system_prompt",
  "tools",
  "mcp",
  "params",
  "limits",
  "price_per_mtok",
  "ran",
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
        maxItems: 10,
        description: "The declared difference between the arms; doctor fails on any other.",
      }),
    ),
    inputs: Type.Optional(
      Type.Array(Type.Record(Type.String(), Type.Unknown()), {
        minItems: 1,
        description: "Rows: the values that replace `{{<column>}}` in texts, and an `id`. Each row runs on its own.",
      }),
    ),
    inputs_file: Type.Optional(Text("File with the rows, .csv, .jsonl or .yaml, relative to the scenario file.")),
    task: TaskFile,
    arms: Type.Array(ArmFile, { minItems: 2, maxItems: 2, description: "Exactly two." }),
    policies: Type.Optional(PoliciesFile),
    rubric: RubricFile,
    replay: Type.Optional(ReplayFile),
  },
  { title: "abeval scenario", description: "An A/B comparison of two agents on one task." },
);
export type ScenarioFile = Static<typeof ScenarioFile>;
