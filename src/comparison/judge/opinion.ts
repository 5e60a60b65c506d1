import type { Decider, Order, Outcome, Side } from "../../domain/verdict.ts";
import {
  compareWithMasked,
  type Hearing,
  type MaskedRepetition,
  type Merged,
  mergeOrders,
  NOTHING_WEIGHED,
  withoutMaskedRepetition,
} from "./asking/masked-repetition.ts";
import { type JudgeFinding, mergeFindings, type Silence, signOf } from "./panel-votes.ts";
import {
  type CallScores,
  labelOf,
  type MeasuredScore,
  type ScoreTable,
  scoreTables,
  type Weights,
  weigh,
} from "./verdict/score-table.ts";
/** Everything but the weights that an opinion rests on. */
export interface Scores {
  /** Empty when no model was asked. */
  readonly calls: readonly CallScores[];
  readonly measured: readonly MeasuredScore[];
  readonly tie_margin: number;
  /** Arms whose words are suspected of speaking to the judge. */
  readonly suspects: ReadonlySet<Side>;
  /** The judges of a panel; absent: one judge. */
  readonly seats?: readonly Seat[] | undefined;
  /** How a seat without a usable answer counts. */
  readonly silence?: Silence;
}

/** One judge of a panel. */
export interface Seat {
  /** `<provider>/<model>`, as its calls name it. */
  readonly judge: string;
  /** Arms whose words the scan or this judge suspects. */
  readonly suspects: ReadonlySet<Side>;
}

/** What the scores alone say, before gates. */
export interface Opinion {
  readonly outcome: Outcome;
  readonly winner_side: Side | null;
  readonly lean_side: Side | null;
  readonly decided_by: Decider;
  /** Weighted, over supported criteria, mean of both orders; null when an order is missing or nothing has weight. */
  readonly score_a: number | null;
  readonly score_b: number | null;
  readonly score_gap: number | null;
  /** The first hearing alone; null when no model was asked. */
  readonly merged: Merged | null;
  /** Whom the judged criteria alone name in both orders; null for nobody, and when words had moved the result. */
  readonly judge_side: Side | null;
  /** The gap nearest to 0 of all orders, with measures of effort and without; 0 when they name different arms. From arm a. */
  readonly least_gap: number;
  /** `score_gap` for confidence: a judge of a panel whose answers do not stand counts as the worst tie. 0 when nothing is known. */
  readonly sure_gap: number;
  readonly second: MaskedRepetition;
}

export function opinionOf(scores: Scores, weights: Weights): Opinion {
  if (scores.calls.length === 0) return measuredOpinion(scores, weights);
  return scores.seats ? panelOpinion(opinionsOfPanel(scores, weights), scores) : judgeOpinion(scores, weights);
}

/** What each judge of a panel says alone; nothing for one judge. */
export const opinionsOfPanel = (scores: Scores, weights: Weights): readonly Opinion[] =>
  (scores.seats ?? []).map(({ judge, suspects }) =>
    judgeOpinion({ ...scores, suspects, calls: scores.calls.filter((call) => call.judge === judge) }, weights),
  );

function judgeOpinion({ calls, measured, tie_margin, suspects }: Scores, weights: Weights): Opinion {
  const { shown, masked } = scoreTables(calls, measured);
  const first = hearingOf(shown, weights, tie_margin);
  const repeated = calls.some((call) => call.masked);
  const { outcome, winner_side, lean_side, second } = repeated
    ? compareWithMasked(first, hearingOf(masked, weights, tie_margin), suspects)
    : withoutMaskedRepetition(first, suspects);
  const means = meanScores(shown, weights);
  const trusted = second !== "overturns" && second !== "not_held";
  const judge_side = trusted ? hearingOf(judgedPart(shown, measured), weights, tie_margin).merged.winner_side : null;
  return {
    ...{ ...means, outcome, winner_side, lean_side, second, judge_side },
    sure_gap: means.score_gap ?? 0,
    merged: first.merged,
    decided_by: deciderOf(outcome, winner_side, judge_side),
    least_gap: leastGap([...(first.gaps ?? [0]), ...(workGaps({ calls, measured }, weights) ?? [0])]),
  };
}

/** The gaps of the first hearing, without measures of effort: time and effort alone make no arm a firm winner. */
function workGaps({ calls, measured }: Pick<Scores, "calls" | "measured">, weights: Weights) {
  const { shown } = scoreTables(calls, ofWork(measured));
  const gaps = shown.map((table) => weigh(table, weights)?.gap);
  return gaps.every((gap) => gap !== undefined) ? gaps : null;
}

const ofWork = (measured: readonly MeasuredScore[]) => measured.filter(({ effort }) => !effort);

function panelOpinion(members: readonly Opinion[], { tie_margin, silence }: Scores): Opinion {
  const usable = members.filter(({ outcome }) => outcome !== "invalid");
  const finding = mergeFindings(members, silence);
  const merged = mergeFirst(
    members.flatMap((member) => member.merged ?? []),
    silence,
  );
  const by_judging = members.map(({ outcome, judge_side }) => ({ outcome, winner_side: judge_side, lean_side: null }));
  const judge_side = mergeFindings(by_judging, silence).winner_side;
  return {
    ...finding,
    score_a: meanKnown(usable.map(({ score_a }) => score_a)),
    score_b: meanKnown(usable.map(({ score_b }) => score_b)),
    score_gap: meanKnown(usable.map(({ score_gap }) => score_gap)),
    ...{ merged, judge_side },
    decided_by: deciderOf(finding.outcome, finding.winner_side, judge_side),
    least_gap: leastGap(members.map(({ winner_side, least_gap }) => (winner_side === null ? 0 : least_gap))),
    sure_gap: sureGap(members, signOf(finding.winner_side), tie_margin),
    second: secondOf(members, finding, merged),
  };
}

/** Silence is worth no more to the winner than the strongest vote against it, an answer that does not stand no more than a tie. */
function sureGap(members: readonly Opinion[], sign: 1 | -1 | 0, tie_margin: number): number {
  const gaps = members.map(({ outcome, second, sure_gap }) => {
    if (outcome === "invalid") return -sign;
    const stands = !LOST.some((how) => how === second);
    return stands ? sure_gap : sign * Math.min(sign * sure_gap, -tie_margin);
  });
  return gaps.reduce((sum, gap) => sum + gap, 0) / members.length;
}

/** The first hearings of all judges. */
function mergeFirst(hearings: readonly Merged[], silence: Silence | undefined): Merged {
  const usable = hearings.filter(({ outcome }) => outcome !== "invalid");
  const finding = mergeFindings(hearings, silence);
  const agreeing = usable.filter(
    ({ outcome, winner_side }) => outcome === finding.outcome && winner_side === finding.winner_side,
  );
  return {
    ...finding,
    net_vote: meanKnown(usable.map(({ net_vote }) => net_vote)),
    agreement: usable.length === 0 ? 0 : agreeing.length / usable.length,
    position_pull: meanKnown(usable.map(({ position_pull }) => position_pull)),
  };
}

/** What the masked repetitions did to the panel's result: it is confirmed when each vote for the winner is. */
function secondOf(members: readonly Opinion[], finding: JudgeFinding, first: JudgeFinding): MaskedRepetition {
  const { winner_side, lean_side } = finding;
  const found = (among: readonly Opinion[], how: MaskedRepetition) => among.some(({ second }) => second === how);
  if (winner_side !== null) {
    const voters = members.filter((member) => member.winner_side === winner_side);
    if (voters.every(({ second }) => second === "confirms")) return "confirms";
    return found(voters, "unconfirmed") ? "unconfirmed" : "none";
  }
  if (first.winner_side === null && first.lean_side === lean_side) return "none";
  return LOST.find((how) => found(members, how)) ?? "none";
}

/** How a masked repetition takes a result away, the gravest first. */
const LOST = ["overturns", "not_held", "unusable"] as const;

/** Null when nothing is known. */
function meanKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** A winner that the judged criteria alone do not name is decided by the measured ones. */
function deciderOf(outcome: Outcome, winner: Side | null, judge_side: Side | null): Decider {
  if (outcome === "winner") return winner === judge_side ? "judge" : "measured";
  return outcome === "tie" ? "judge" : "none";
}

function judgedPart(tables: readonly ScoreTable[], measured: readonly MeasuredScore[]): ScoreTable[] {
  const ids = new Set(measured.map(({ id }) => id));
  return tables.map((table) => ({ ...table, rows: table.rows.filter(({ id }) => !ids.has(id)) }));
}

function leastGap(gaps: readonly number[]): number {
  const [least = 0] = gaps.toSorted((one, other) => Math.abs(one) - Math.abs(other));
  return gaps.every((gap) => gap * least > 0) ? least : 0;
}

type Means = Pick<Opinion, "score_a" | "score_b" | "score_gap">;

/** The criteria measured by code decide alone when no model judges. */
function measuredOpinion({ calls, measured, tie_margin }: Scores, weights: Weights): Opinion {
  const means = meanScores(scoreTables(calls, measured).shown, weights);
  const { score_gap } = means;
  const undecided = { ...means, lean_side: null, merged: null, judge_side: null, second: "none" } as const;
  if (score_gap === null)
    return { ...undecided, outcome: "inconclusive", winner_side: null, decided_by: "none", least_gap: 0, sure_gap: 0 };
  const label = labelOf(score_gap, tie_margin);
  const winner_side = label === "tie" ? null : label;
  const outcome = winner_side ? "winner" : "tie";
  const least_gap = leastGap([score_gap, ...(workGaps({ calls, measured }, weights) ?? [0])]);
  return { ...undecided, outcome, winner_side, decided_by: "measured", least_gap, sure_gap: score_gap };
}

function hearingOf(tables: readonly ScoreTable[], weights: Weights, tie_margin: number): Hearing {
  const shownIn = (order: Order) => tables.find((table) => table.order === order);
  const [ab, ba] = [shownIn("ab"), shownIn("ba")];
  if (!ab || !ba) return { merged: mergeOrders(null, null), gaps: null };
  const [in_ab, in_ba] = [weigh(ab, weights), weigh(ba, weights)];
  if (in_ab === null || in_ba === null) return { merged: NOTHING_WEIGHED, gaps: null };
  const merged = mergeOrders(labelOf(in_ab.gap, tie_margin), labelOf(in_ba.gap, tie_margin));
  return { merged, gaps: [in_ab.gap, in_ba.gap] };
}

/** One order alone gives no scores: nothing would cancel the pull of its first slot. */
function meanScores(tables: readonly ScoreTable[], weights: Weights): Means {
  const weighed = tables.map((table) => weigh(table, weights)).filter((scores) => scores !== null);
  const orders = tables[0]?.order === null ? 1 : 2;
  if (weighed.length < orders) return { score_a: null, score_b: null, score_gap: null };
  const score_a = weighed.reduce((sum, { a }) => sum + a, 0) / orders;
  const score_b = weighed.reduce((sum, { b }) => sum + b, 0) / orders;
  return { score_a, score_b, score_gap: score_a - score_b };
}
