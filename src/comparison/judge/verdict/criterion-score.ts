import type { Criterion } from "../../../domain/rubric.ts";
import type { CriterionScore, JudgeCall, Order, Side } from "../../../domain/verdict.ts";
import { firstAnswers, type JudgeResult } from "./judge-result.ts";
import type { Measured } from "./measure.ts";
import { byJudge, TOP_SCORE } from "./score-table.ts";

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

/** Scores need both orders: nothing would cancel the pull of the first slot in one alone. Of a panel, the mean of its judges. */
function judgedScore(id: string, weight: number, { result, names }: Judged): CriterionScore {
  const shown = firstAnswers(result.calls);
  const evidence = [...(result.citations.get(id) ?? [])];
  const said = shown[0]?.scores.find((entry) => entry.id === id);
  const note = said ? `${names.a}: ${said.note_a} ${names.b}: ${said.note_b}` : "";
  const base = { id, kind: "judged", weight, note, evidence } as const;
  const scores = byJudge(shown).flatMap((own) => scoresOf(id, own));
  if (scores.length === 0)
    return { ...base, score_a: null, score_b: null, gap: null, position_gap: null, supported: false };
  const mean = (key: keyof Scores) => scores.reduce((sum, score) => sum + score[key], 0) / scores.length;
  const [score_a, score_b] = [mean("score_a"), mean("score_b")];
  return { ...base, score_a, score_b, gap: score_a - score_b, position_gap: mean("position_gap"), supported: true };
}

type Scores = Readonly<Record<"score_a" | "score_b" | "position_gap", number>>;

/** One judge's scores in both orders; none when an order has no supported score. */
function scoresOf(id: string, calls: readonly JudgeCall[]): readonly Scores[] {
  const score = (order: Order) =>
    calls.find((call) => call.order === order)?.scores.find((entry) => entry.id === id && entry.supported);
  const [ab, ba] = [score("ab"), score("ba")];
  if (!ab || !ba) return [];
  return [
    {
      score_a: (ab.score_a + ba.score_a) / (2 * TOP_SCORE),
      score_b: (ab.score_b + ba.score_b) / (2 * TOP_SCORE),
      position_gap: (ab.score_a - ab.score_b - (ba.score_a - ba.score_b)) / (2 * TOP_SCORE),
    },
  ];
}
