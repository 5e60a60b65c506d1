import { type Static, Type } from "@sinclair/typebox";
import { Arm } from "./arm.ts";
import { MAX_ARMS } from "./defaults.ts";
import { Policies } from "./policies.ts";
import { Rubric } from "./rubric.ts";
import { Digest, nullable, record, Slug } from "./schema.ts";
import { Task } from "./task.ts";

/**
 * A scenario as it is run, stored and served: every shorthand, `extends`, default and file resolved.
 * What an author may write is `ScenarioFile`.
 */

export const ReplayConfig = record("ReplayConfig", {
  ignore: Type.Array(Type.String(), {
    description: "RE2 patterns: text that they match is ignored when requests are compared.",
  }),
});
export type ReplayConfig = Static<typeof ReplayConfig>;

export const InputId = Type.String({ pattern: "^[A-Za-z0-9._-]{1,64}$", description: "Id of a row of the inputs." });

export const ScenarioInput = record(
  "ScenarioInput",
  { id: InputId, values: Type.Record(Type.String(), Type.Unknown(), { description: "By column." }) },
  { description: "The row of the scenario's inputs that a run uses. Absent: the scenario has no inputs." },
);
export type ScenarioInput = Static<typeof ScenarioInput>;

const ScenarioInputs = record(
  "ScenarioInputs",
  {
    count: Type.Integer({ minimum: 1, description: "Rows." }),
    fields: Type.Array(Type.String(), { description: "Columns." }),
    digest: Digest("SHA-256 over ids and values."),
  },
  {
    description:
      "The inputs of a scenario whose texts contain `{{<column>}}`. Absent: it has none, or this is one of its rows.",
  },
);

export const Scenario = record("Scenario", {
  name: Slug(),
  title: Type.String(),
  description: Type.String(),
  tags: Type.Array(Type.String()),
  varies: nullable(Type.Array(Type.String()), {
    description: "The declared difference between the arms: fields of an arm. Null when not declared.",
  }),
  task: Task,
  arms: Type.Array(Arm, { minItems: 2, maxItems: MAX_ARMS, description: "A session has two." }),
  policies: Policies,
  rubric: Rubric,
  replay: Type.Optional(ReplayConfig),
  input: Type.Optional(ScenarioInput),
  inputs: Type.Optional(ScenarioInputs),
});
/** Two arms at least: the schema counts them, the type says it. */
export type Scenario = Omit<Static<typeof Scenario>, "arms"> & { arms: [Arm, Arm, ...Arm[]] };

/** A row of the scenario list. A broken file has a row too: its name, no arms, and the error. */
export const ScenarioListing = record("ScenarioListing", {
  name: Type.String({ description: "The file's name without its ending." }),
  title: Type.String(),
  description: Type.String(),
  tags: Type.Array(Type.String()),
  arms: Type.Array(record("ScenarioListingArm", { id: Type.String(), title: Type.String(), model: Type.String() })),
  error: nullable(Type.String(), { description: "Why it cannot be run; null when it can." }),
});
export type ScenarioListing = Static<typeof ScenarioListing>;
