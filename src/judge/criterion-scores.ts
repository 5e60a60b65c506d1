import type { Criterion } from "../domain/scenario.ts";
import type { CriterionScore, JudgeCall, Side } from "../domain/verdict.ts";
import type { Hearing } from "./hearing.ts";
import type { Measured } from "./measured.ts";
import { TOP_SCORE } from "./sheets.ts";

/** What was heard and what people call the arms. */
interface Heard {
  readonly hearing: Hearing;
  readonly names: Readonly<Record<Side, string>>;
}

/** One row of a verdict's table: measured by code, or the mean of both orders. */
export function criterionScore(criterion: Criterion, measured: readonly Measured[], heard: Heard): CriterionScore {
  const { id, kind, weight } = criterion;
  if (kind === "judged") return judgedScore(id, weight, heard);
  const {
    score_a = null,
    score_b = null,
    supported = false,
    note = "",
  } = measured.find((score) => score.id === id) ?? {};
  const gap = score_a === null || score_b === null ? null : score_a - score_b;
  return { id, kind, weight, score_a, score_b, gap, position_gap: null, supported, note, evidence: [] };
}

/** Scores need both orders: one alone would carry the pull of its first position. */
function judgedScore(id: string, weight: number, { hearing, names }: Heard): CriterionScore {
  const shown = hearing.calls.filter(({ masked, valid }) => !masked && valid);
  const score = (order: JudgeCall["order"]) =>
    shown.find((call) => call.order === order)?.scores.find((entry) => entry.id === id && entry.supported);
  const [ab, ba] = [score("ab"), score("ba")];
  const evidence = [...(hearing.citations.get(id) ?? [])];
  const said = shown[0]?.scores.find((entry) => entry.id === id);
  const note = said ? `${names.a}: ${said.note_a} ${names.b}: ${said.note_b}` : "";
  const base = { id, kind: "judged", weight, note, evidence } as const;
  if (!ab || !ba) return { ...base, score_a: null, score_b: null, gap: null, position_gap: null, supported: false };
  const [score_a, score_b] = [(ab.score_a + ba.score_a) / (2 * TOP_SCORE), (ab.score_b + ba.score_b) / (2 * TOP_SCORE)];
  const position_gap = (ab.score_a - ab.score_b - (ba.score_a - ba.score_b)) / (2 * TOP_SCORE);
  return { ...base, score_a, score_b, gap: score_a - score_b, position_gap, supported: true };
}
