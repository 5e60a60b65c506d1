import { percentText } from "../../../../domain/number-text.ts";
import type { Series } from "../../../../domain/series.ts";
import type { Side } from "../../../../domain/verdict.ts";
import { type ShareDifference, solvedDifference } from "../../../../statistics/difference.ts";
import { duration, usd } from "../../format.ts";
import { kinshipOf, type PairOf, sharedTrials } from "./kinship.ts";

/** A figure of both series, with how much the second differs from the first. */
export interface FigureRow {
  readonly name: string;
  readonly texts: PairOf<string>;
  /** What an interval says of each; null where there is none. */
  readonly ranges: PairOf<string> | null;
  /** Null where it is not known. */
  readonly difference: string | null;
}

/** Passed checks with their intervals, cost and time: of each arm, then of a trial. Differences only where they mean something. */
export function figureGroups(two: PairOf<Series>): readonly FigureGroup[] {
  const [one, other] = two;
  const groups = [
    ...(["a", "b"] as const).map((side) => ({
      side,
      rows: [solvedRow(two, side), costRow(two, side), timeRow(two, side)],
    })),
    {
      side: null,
      rows: [
        moneyRow("Cost of judging", judgingOf(one), judgingOf(other)),
        moneyRow("Cost in all", one.cost_usd.per_trial, other.cost_usd.per_trial),
      ],
    },
  ];
  if (kinshipOf(two) !== "apart" && sharedTrials(two) === 0) return groups;
  return groups.map(({ side, rows }) => ({ side, rows: rows.map((row) => ({ ...row, difference: null })) }));
}

/** Figures of an arm; of a whole trial where the side is null. */
interface FigureGroup {
  readonly side: Side | null;
  readonly rows: readonly FigureRow[];
}

function solvedRow([one, other]: PairOf<Series>, side: Side): FigureRow {
  const [first, second] = [one.arms[side].solved, other.arms[side].solved];
  const text = (solved: typeof first) =>
    solved === null ? "no required checks" : `${solved.solved} of ${solved.trials}`;
  const range = (solved: typeof first) =>
    solved === null || solved.trials === 0 ? "" : `range ${percentText(solved.low)} to ${percentText(solved.high)}`;
  const copies = [one, other].some(({ flags }) => flags.includes("no_variation"));
  const apart = first && second && !copies ? solvedDifference(first, second) : null;
  return {
    name: "Passed every required check",
    texts: [text(first), text(second)],
    ranges: [range(first), range(second)],
    difference: apart && differenceText(apart),
  };
}

const costRow = ([one, other]: PairOf<Series>, side: Side): FigureRow =>
  moneyRow("Cost, mean", one.arms[side].cost_usd.mean, other.arms[side].cost_usd.mean);

function timeRow([one, other]: PairOf<Series>, side: Side): FigureRow {
  const [first, second] = [one.arms[side].wall_ms_median, other.arms[side].wall_ms_median];
  return {
    ...{ name: "Time, median", ranges: null },
    texts: [duration(first), duration(second)],
    difference: changeText(first, second, duration),
  };
}

function moneyRow(name: string, first: number | null, second: number | null): FigureRow {
  return {
    ...{ name, ranges: null },
    texts: [usd(first), usd(second)],
    difference: changeText(first, second, usd),
  };
}

/** Mean of the trials that were judged; null when the cost of one is not known. */
function judgingOf({ judge, trials }: Series): number | null {
  const judged = trials.filter(({ outcome }) => outcome !== null).length;
  return judge.cost_usd === null || judged === 0 ? null : judge.cost_usd / judged;
}

/** Sums of the same costs in another order differ by less. */
const ROUNDING = 1e-9;

/** `+$0.12 (+23%)`; null where one is not known. */
function changeText(first: number | null, second: number | null, text: (value: number) => string): string | null {
  if (first === null || second === null) return null;
  if (Math.abs(second - first) <= ROUNDING * Math.max(first, second)) return "the same";
  const change = `${second > first ? "+" : "−"}${text(Math.abs(second - first))}`;
  return first === 0 ? change : `${change} (${pointsText(second / first - 1)}%)`;
}

/** `+18 points, range −3 to +41`. */
export const differenceText = ({ difference, low, high }: ShareDifference): string =>
  `${pointsText(difference)} ${/^[+−]1$/.test(pointsText(difference)) ? "point" : "points"}, range ${pointsText(low)} to ${pointsText(high)}`;

/** Percentage points with a sign. What is not 0 never reads as 0: `+0.4`, `just above 0`. */
export function pointsText(share: number): string {
  if (share === 0) return "0";
  for (const decimals of [0, 1]) {
    const text = Math.abs(share * 100).toFixed(decimals);
    if (Number(text) !== 0) return `${share > 0 ? "+" : "−"}${text}`;
  }
  return share > 0 ? "just above 0" : "just below 0";
}
