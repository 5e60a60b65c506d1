import { isFinal } from "../domain/session-state.ts";
import type { TrialRow } from "../domain/trial.ts";
import { sumKnown } from "../domain/usage.ts";
import type { Side } from "../domain/verdict.ts";
import type { SequentialTest } from "./claim/sequential-test.ts";
import type { Tally } from "./claim/tally.ts";

/** What was spent on both arms and the judge, also in attempts that were lost, USD; null when some of it is unknown. */
export function costOfTrial({ arms, spent_usd, judge, outcome, lost_cost_usd = 0 }: TrialRow): number | null {
  const ofArms = spent_usd === undefined ? plus(arms.a.cost_usd, arms.b.cost_usd) : spent_usd;
  return plus(plus(ofArms, outcome === null ? 0 : judge.cost_usd), lost_cost_usd);
}

const plus = (one: number | null, other: number | null) => (one === null || other === null ? null : one + other);

interface ArmCosts {
  readonly cost_usd: { readonly mean: number | null; readonly total: number | null };
  readonly tokens: number | null;
  readonly wall_ms_median: number | null;
}

/** The cost of all trials up to the claim, also of those that do not count, USD; null without a claim. */
export function costToClaim(tallies: readonly Tally[], { claim }: SequentialTest): number | null {
  if (!claim) return null;
  const rows = tallies.flatMap(({ rows, counted }) => {
    const last = counted.findLast(({ round }) => round <= claim.round)?.row;
    return last ? rows.slice(0, rows.indexOf(last) + 1) : [];
  });
  return sumKnown(rows.map(costOfTrial));
}

/** USD. A judging that gave no verdict is in none of it. */
export interface Costs {
  readonly arms: Readonly<Record<Side, ArmCosts>>;
  /** The cost of a over that of b, in the trials where both are known; null without such trials, or when b cost nothing. */
  readonly ratio: number | null;
  readonly judge: number | null;
  readonly total: number | null;
  /** The last day of list prices among those that were taken. */
  readonly price_date?: string;
  /** The known part of the total, where only a part is known. */
  readonly at_least?: { readonly cost_usd: number; readonly why: string };
  /** Mean of the trials with a verdict whose cost is known. */
  readonly per_trial: number | null;
}

/** @param rows of all trials; those that run are left out */
export function costsOf(rows: readonly TrialRow[]): Costs {
  const ended = rows.filter(({ state }) => isFinal(state));
  const judged = ended.filter(({ outcome }) => outcome !== null);
  const armsOf = (side: Side) => armCosts(side, ended, judged);
  const each = ended.map(costOfTrial);
  return {
    arms: { a: armsOf("a"), b: armsOf("b") },
    ratio: ratioOf(ended),
    judge: sumKnown(judged.map(({ judge }) => judge.cost_usd)),
    total: sumKnown(each),
    ...priceDateOf(ended),
    ...leastOf(ended, each),
    per_trial: meanOf(each.filter((_, index) => ended[index]?.outcome !== null)),
  };
}

function priceDateOf(rows: readonly TrialRow[]): Pick<Costs, "price_date"> {
  const price_date = rows
    .flatMap((row) => row.price_date ?? [])
    .toSorted()
    .at(-1);
  return price_date === undefined ? {} : { price_date };
}

/** What one trial cost in each arm; null when no cost is known. USD. */
export function meanCosts(rows: readonly TrialRow[]): Readonly<Record<Side, number | null>> {
  const judged = rows.filter(({ state, outcome }) => isFinal(state) && outcome !== null);
  const of = (side: Side) => meanOf(judged.map(({ arms }) => arms[side].cost_usd));
  return { a: of("a"), b: of("b") };
}

function leastOf(ended: readonly TrialRow[], each: readonly (number | null)[]): Pick<Costs, "at_least"> {
  const untold = each.filter((cost) => cost === null).length;
  const cost_usd = ended.reduce((sum, row) => sum + leastOfTrial(row), 0);
  if (untold === 0 || cost_usd === 0) return {};
  return { at_least: { cost_usd, why: `not all that ${untold} of ${ended.length} trials cost is known` } };
}

function leastOfTrial({ arms: { a, b }, spent_usd, judge, outcome, lost_cost_usd }: TrialRow): number {
  // A stored arm was paid for before: where the other one's cost is unknown, nothing is known to be spent.
  const ofArms =
    spent_usd === undefined
      ? [a, b].reduce((sum, arm) => sum + (arm.cost_usd ?? arm.least_cost_usd ?? 0), 0)
      : (spent_usd ?? 0);
  return ofArms + (outcome === null ? 0 : (judge.cost_usd ?? 0)) + (lost_cost_usd ?? 0);
}

function armCosts(side: Side, ended: readonly TrialRow[], judged: readonly TrialRow[]): ArmCosts {
  return {
    cost_usd: {
      mean: meanOf(judged.map(({ arms }) => arms[side].cost_usd)),
      total: sumKnown(ended.map(({ arms }) => arms[side].cost_usd)),
    },
    tokens: sumKnown(ended.map(({ arms }) => arms[side].tokens)),
    wall_ms_median: medianOf(judged.map(({ arms }) => arms[side].wall_ms)),
  };
}

function ratioOf(rows: readonly TrialRow[]): number | null {
  const pairs = rows.flatMap(({ arms: { a, b } }) =>
    a.cost_usd === null || b.cost_usd === null ? [] : [{ a: a.cost_usd, b: b.cost_usd }],
  );
  const b = pairs.reduce((sum, pair) => sum + pair.b, 0);
  return b > 0 ? pairs.reduce((sum, pair) => sum + pair.a, 0) / b : null;
}

/** The mean of the known values; null when none is known. */
function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function medianOf(values: readonly number[]): number | null {
  const sorted = [...values].sort((one, other) => one - other);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
