import type { Sensitivity } from "../../../domain/verdict.ts";
import { NOISE } from "../asking/masked-repetition.ts";
import { type Basis, decide, type ScoredOutcome } from "../decide.ts";
import {
  byJudge,
  exceeds,
  reaches,
  type ScoreTable,
  type ScoreTables,
  scoreTables,
  type Weights,
  weightedSum,
} from "./score-table.ts";

/**
 * How much the outcome depends on the weights. `flip_distance` is the least share of total weight that must move between
 * criteria to change the outcome or the winner.
 *
 * It is found along walks through the weights. A call's gap is linear in the weights. The cheapest way to push it up or
 * down is therefore to move weight from the most opposed criteria to the most favourable one: one walk per call and
 * direction. Each walk tries the points where a call's label changes or where the gap falls by more than noise.
 *
 * An outcome cannot change before a label does, so the least distance is exact. It is an upper bound where a cap, a veto
 * or a masked repetition keeps the outcome although a label changed. One more walk to each criterion finds every change that
 * one criterion alone brings about.
 */
export function sensitivityOf(basis: Basis, weights: Weights): Sensitivity {
  const now = decide(basis, weights);
  return {
    flip_distance: flipDistance(basis, weights, now),
    leave_one_out: [...weights.keys()].map((criterion) => {
      const { outcome, winner_side } = decide(basis, new Map(weights).set(criterion, 0));
      return { criterion, outcome, winner_side };
    }),
  };
}

/**
 * A step beyond a boundary, far below the reported precision. The boundary itself is tried too: where two labels change at
 * once, the outcome between both changes exists only there.
 */
const NUDGE = 1e-7;

const DIGITS = 4;

function flipDistance(basis: Basis, weights: Weights, now: ScoredOutcome): number | null {
  const judges = basis.calls.length === 0 ? [[]] : byJudge(basis.calls);
  const hearings = judges.map((calls) => scoreTables(calls, basis.measured));
  const tables = hearings.flatMap(({ shown, masked }) => [...shown, ...masked]);
  const shares = sharesOf(
    hearings.flatMap(({ shown }) => shown),
    weights,
  );
  if (shares === null) return null;
  const criteria = [...shares.keys()];
  const walks = [
    ...tables.flatMap((table) => [1, -1].map((direction) => pushing(table, shares, direction))),
    ...criteria.map((receiver) => {
      const donors = criteria.filter((id) => id !== receiver);
      return walkTo(receiver, donors, shares);
    }),
  ];
  const boundaries = hearings.flatMap((hearing) => boundariesOf(hearing, basis.tie_margin));
  const flips = walks.flatMap((walk) => {
    const points = turningPoints(walk, boundaries);
    const changed = (moved: number) => differs(now, decide(basis, walk.at(Math.min(walk.length, moved))));
    return points.find((moved) => changed(moved) || changed(moved + NUDGE)) ?? [];
  });
  if (flips.length === 0) return null;
  return Number(Math.min(1, ...flips).toFixed(DIGITS));
}

const differs = (one: ScoredOutcome, other: ScoredOutcome) =>
  one.outcome !== other.outcome || one.winner_side !== other.winner_side;

/** Weights of the rows that count, with the sum 1; null when none has weight. */
function sharesOf(tables: readonly ScoreTable[], weights: Weights): Weights | null {
  const ids = new Set(tables.flatMap(({ rows }) => rows.map(({ id }) => id)));
  const rows = [...ids].map((id) => [id, weights.get(id) ?? 0] as const);
  const total = rows.reduce((sum, [, weight]) => sum + weight, 0);
  return total > 0 ? new Map(rows.map(([id, weight]) => [id, weight / total])) : null;
}

interface Walk {
  /** Most weight that can move. */
  readonly length: number;
  /** Weight moved when each donor is used up, from 0. */
  readonly stops: readonly number[];
  /** Weights after this share has moved. */
  at(moved: number): Weights;
}

/** Moves weight to the row that raises `direction` times the gap most. The rows that raise it least give first. */
function pushing(table: ScoreTable, shares: Weights, direction: number): Walk {
  const pull = new Map(table.rows.map(({ id, a, b }) => [id, direction * (a - b)]));
  const donors = [...shares.keys()].sort((one, other) => (pull.get(one) ?? 0) - (pull.get(other) ?? 0));
  return walkTo(donors.pop() ?? "", donors, shares);
}

/** Moves weight to one row, from the others in this order. */
function walkTo(receiver: string, donors: readonly string[], shares: Weights): Walk {
  const stops = [0];
  for (const donor of donors) stops.push((stops.at(-1) ?? 0) + (shares.get(donor) ?? 0));
  const at = (moved: number) => {
    const weights = new Map(shares);
    donors.forEach((donor, index) => {
      const given = Math.min(shares.get(donor) ?? 0, Math.max(0, moved - (stops[index] ?? 0)));
      weights.set(donor, (weights.get(donor) ?? 0) - given);
      weights.set(receiver, (weights.get(receiver) ?? 0) + given);
    });
    return weights;
  };
  return { length: stops.at(-1) ?? 0, stops, at };
}

/** Linear in the weights. The outcome can change where it crosses zero. */
type Boundary = (shares: Weights) => number;

/** A call's gap meets the margin, or the gap fell between the hearings by noise, or by what the orders differ about it. */
function boundariesOf({ shown, masked }: ScoreTables, tie_margin: number): Boundary[] {
  const margins = [...shown, ...masked].flatMap((table) =>
    [tie_margin, -tie_margin].map(
      (margin) => (shares: Weights) => weightedSum(table.rows, shares, ({ a, b }) => a - b - margin),
    ),
  );
  const falls = shown.flatMap((table) => {
    const again = masked.find(({ order }) => order === table.order);
    return again ? [(shares: Weights) => gapOf(table, shares) - gapOf(again, shares)] : [];
  });
  const [ab, ba] = falls;
  if (!ab || !ba) return margins;
  const mean: Boundary = (shares) => (ab(shares) + ba(shares)) / 2;
  const bySign = [1, -1].flatMap((sign): Boundary[] => [
    (shares) => mean(shares) - sign * NOISE,
    (shares) => mean(shares) - sign * (ab(shares) - ba(shares)),
  ]);
  return [...margins, ...bySign];
}

/** Where a boundary is met on this walk, ascending. Boundaries are linear between two stops. */
function turningPoints(walk: Walk, boundaries: readonly Boundary[]): number[] {
  const points = boundaries.flatMap((boundary) => {
    const values = walk.stops.map((stop) => boundary(walk.at(stop)));
    return values.slice(1).flatMap((end, index) => {
      const [start, from, to] = [values[index] ?? 0, walk.stops[index] ?? 0, walk.stops[index + 1] ?? 0];
      const part = -start / (end - start);
      return reaches(part, 0) && !exceeds(part, 1) ? [from + Math.max(0, part) * (to - from)] : [];
    });
  });
  return points.sort((one, other) => one - other);
}

const gapOf = (table: ScoreTable, shares: Weights) => weightedSum(table.rows, shares, ({ a, b }) => a - b);
