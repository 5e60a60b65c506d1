import { type Static, Type } from "@sinclair/typebox";
import { JUDGE_NAME_CHARS } from "./panel.ts";
import { InputId } from "./scenario.ts";
import { described, GivenModelRef, record, Slug } from "./schema.ts";
import { SessionId } from "./session.ts";
import { ArmPointer } from "./verdict.ts";

export const JudgeModel = Type.String({
  minLength: 1,
  maxLength: JUDGE_NAME_CHARS,
  description:
    "Judge model; without a slash, of the default judge's provider. Three or five, separated by commas, form a panel.",
});

/** A scenario that is sent, as an author writes one; its schema is that of scenario files. */
export const ScenarioDefinition = Type.Record(Type.String(), Type.Unknown(), {
  description:
    "A scenario as its file would say it, whose `name` is the one asked for. Needs `--allow-new-scenarios` on the server.",
});

export const RunRequest = record(
  "RunRequest",
  {
    scenario: Slug({ description: "Scenario name." }),
    definition: Type.Optional(ScenarioDefinition),
    input: Type.Optional({ ...InputId, description: "The row to run, if the scenario has inputs." }),
    arms: Type.Optional(
      Type.Array(Slug(), {
        minItems: 2,
        maxItems: 2,
        description: "Two of its arms, where it has more; a series compares all.",
      }),
    ),
    model_override: Type.Optional({
      ...GivenModelRef,
      description: "`<provider>/<model>`: replaces the model of every arm.",
    }),
    judge_model: Type.Optional(JudgeModel),
    single: Type.Optional(
      Type.Boolean({
        description: "Let this one run open a gate; otherwise only a series does.",
      }),
    ),
  },
  { examples: [{ scenario: "pager-last-page" }] },
);
export type RunRequest = Static<typeof RunRequest>;

export const RunStarted = record("RunStarted", { session_id: SessionId });
export type RunStarted = Static<typeof RunStarted>;

export const VerdictRequest = record("VerdictRequest", {
  arm_a: described(ArmPointer, "Its scenario gives the rubric and the reference."),
  arm_b: described(ArmPointer, "An arm of the same scenario."),
  judge_model: Type.Optional(JudgeModel),
});
export type VerdictRequest = Static<typeof VerdictRequest>;

/** Most rows one page of a list may ask for. */
export const MAX_PAGE = 500;
