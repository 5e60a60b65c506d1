import { type Static, Type } from "@sinclair/typebox";
import { Price } from "./price-list.ts";
import { Count, nullable, oneOf, record, Share, Slug } from "./schema.ts";

export const MEASURES = [
  "probe_score",
  "reference_fix",
  "changed_lines",
  "answer_words",
  "turns",
  "tool_calls",
  "tokens",
  "wall_ms",
  "cost_usd",
] as const;
export type Measure = (typeof MEASURES)[number];

const Anchors = Type.Partial(
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
