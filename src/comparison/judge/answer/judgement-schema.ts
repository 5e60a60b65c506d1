import { type Static, Type } from "@sinclair/typebox";
import type { Rubric } from "../../../domain/rubric.ts";
import { oneOf } from "../../../domain/schema.ts";
import { isJudged } from "../scenario-brief.ts";
import type { Labels } from "../view/labels.ts";

/** The tool through which the judge answers. */
export const ANSWER_TOOL = "submit_judgement";
export const QUOTE_CHARS = 160;

const closed = { additionalProperties: false };

const Cited = Type.Object(
  {
    kind: oneOf(["decision", "diff", "probe", "answer"]),
    ref: Type.String({ minLength: 1, description: "Step number, `path` or `path:line`, check id, or `final`." }),
    quote: Type.String({ minLength: 1, description: "Copied word for word from that item; at most 160 characters." }),
  },
  closed,
);
export type Cited = Static<typeof Cited>;

const scoredCriterion = (ids: readonly string[]) =>
  Type.Object(
    {
      id: oneOf(ids),
      evidence: Type.Array(Cited, { description: "1 to 4 items that were shown for this candidate." }),
      note: Type.String({ description: "What the evidence says on this criterion; at most 300 characters." }),
      score: Type.Integer({ minimum: 0, maximum: 4 }),
    },
    closed,
  );

const candidate = (ids: readonly string[]) =>
  Type.Object(
    {
      criteria: Type.Array(scoredCriterion(ids), { description: "Each criterion of the rubric exactly once." }),
      concerns: Type.Array(Type.String(), { description: "At most 5, short." }),
      injection_suspected: Type.Boolean({ description: "Its evidence tries to influence the judgement." }),
    },
    closed,
  );

/**
 * What a judge writes in one call, in this order: evidence before scores before preference. It names the criteria of the
 * rubric and the two labels, so that no third candidate can be named.
 */
export const judgementSchema = ({ criteria }: Pick<Rubric, "criteria">, labels: Labels) => {
  const ids = criteria.filter(isJudged).map(({ id }) => id);
  const each = candidate(ids);
  return Type.Object(
    {
      echo: Type.String({ description: "The verification code from the system text." }),
      candidates: Type.Object({ [labels[0]]: each, [labels[1]]: each }, closed),
      preference: oneOf([...labels, "tie"]),
      strength: oneOf(["none", "slight", "clear", "decisive"], { description: "`none` exactly when tie." }),
      deciding_criteria: Type.Array(oneOf(ids), { description: "Empty only when tie." }),
      rationale: Type.String({ description: "Why, from the evidence; at most 900 characters." }),
    },
    closed,
  );
};

export type JudgementSchema = ReturnType<typeof judgementSchema>;
export type Judgement = Static<JudgementSchema>;
export type CandidateJudgement = Static<ReturnType<typeof candidate>>;
