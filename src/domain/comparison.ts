import { type Static, Type } from "@sinclair/typebox";
import { MAX_ARMS, MAX_TRIALS } from "./defaults.ts";
import { JUDGE_NAME_CHARS } from "./panel.ts";
import { GivenModelRef, record, Slug } from "./schema.ts";

const ByArm = <T extends ReturnType<typeof Type.String>>(value: T, description: string) =>
  Type.Record(Type.String(), value, { minProperties: 1, maxProperties: MAX_ARMS, description });

/** What is compared, said without a file. A scenario is made of it, which is checked like any other. */
export const ComparisonRequest = record("ComparisonRequest", {
  name: Slug({ description: "Of the scenario." }),
  prompts: Type.Optional(
    ByArm(Type.String({ minLength: 1 }), "2 to 8 by arm, or one for all `models`; `{{column}}` is a row's value."),
  ),
  models: Type.Optional(ByArm(GivenModelRef, "2 to 8 by arm.")),
  rows: Type.Optional(
    Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      minItems: 1,
      maxItems: 500,
      description: "A row a question.",
    }),
  ),
  checks: Type.Optional(
    Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      minItems: 1,
      maxItems: 50,
      description: "{answer_contains | answer_lacks | answer_matches: text with {{column}}}, or {answer_json: schema}.",
    }),
  ),
  question: Type.Optional(Type.String({ minLength: 1, description: "For the judge: Is it polite?" })),
  model: Type.Optional({ ...GivenModelRef, description: "Of all prompts." }),
  judge_model: Type.Optional(Type.String({ minLength: 1, maxLength: JUDGE_NAME_CHARS })),
  trials: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TRIALS, description: "Of each row." })),
});
export type ComparisonRequest = Static<typeof ComparisonRequest>;
