import type { Criterion } from "../domain/scenario.ts";
import type { CriterionScore, Order, Side } from "../domain/verdict.ts";
import { firstAnswers, type JudgeResult } from "./judge-result.ts";
import type { Measured } from "./measure.ts";
import { TOP_SCORE } from "./score-table.ts";

interface Judged {
  readonly result: JudgeResult;
  readonly names: Readonly<Record<Side, string>>;
}

/** One row of a verdict's table: measured by code, or the mean of both orders. */
export function criterionScore(criterion: Criterion, measured: readonly Measured[], judged: Judged): CriterionScore {
  const { id, kind, weight } = criterion;
  if (kind === "judged") return judgedScore(id, weight, judged);
  const {
    score_a = null,
    score_b = null,
    supported = false,
    note = "",
  } = measured.find((score) => score.id === id) ?? {};
  const gap = score_a === null || score_b === null ? null : score_a - score_b;
  return { id, kind, weight, score_a, score_b, gap, position_gap: null, supported, note, evidence: [] };
}

/** Scores need both orders: nothing would cancel the pull of the first slot in one alone. */
function judgedScore(id: string, weight: number, { result, names }: Judged): CriterionScore {
  const shown = firstAnswers(result.calls);
  const score = (order: Order) =>
    shown.find((call) => call.order === order)?.scores.find((entry) => entry.id === id && entry.supported);
  const [ab, ba] = [score("ab"), score("ba")];
  const evidence = [...(result.citations.get(id) ?? [])];
  const said = shown[0]?.scores.find((entry) => entry.id === id);
  const note = said ? `${names.a}: ${said.note_a} ${names.b}: ${said.note_b}` : "";
  const base = { id, kind: "judged", weight, note, evidence } as const;
  if (!ab || !ba) return { ...base, score_a: null, score_b: null, gap: null, position_gap: null, supported: false };
  const [score_a, score_b] = [(ab.score_a + ba.score_a) / (2 * TOP_SCORE), (ab.score_b + ba.score_b) / (2 * TOP_SCORE)];
  const position_gap = (ab.score_a - ab.score_b - (ba.score_a - ba.score_b)) / (2 * TOP_SCORE);
  return { ...base, score_a, score_b, gap: score_a - score_b, position_gap, supported: true };
}
