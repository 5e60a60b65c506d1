import type { Sensitivity } from "../domain/verdict.ts";
import { type Basis, decide, type Standing } from "./score.ts";
import { NOISE } from "./second-hearing.ts";
import { type Sheet, sheetsOf, type Weights } from "./sheets.ts";

/**
 * How firmly the outcome stands on the weights. `flip_distance` is the least share of total weight that must move
 * between criteria to change outcome or winner, found by walking: a call's gap is linear in the weights, so the cheapest
 * way to push it up or down is to move weight from the most opposed criteria to the most favourable one. Along each such
 * walk, one per call and direction, every point where a call's label changes is tried, and where a fall of the gap exceeds
 * noise. Leaving an outcome's cell always begins with one call's label, so the least of these is exact, except where a cap,
 * a veto or a second hearing keeps the outcome although a label changed: there it is an upper bound, and the walks to each
 * criterion in turn see that none is missed that one criterion alone brings about.
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
 * Beyond a boundary; far below the precision that is reported. The boundary itself is looked at too: where two labels
 * change at once, only there does the outcome show that lies between.
 */
const NUDGE = 1e-7;

/** Binary fractions: a walk may begin or end on a boundary. */
const ROUNDING = 1e-9;

const DIGITS = 4;

function flipDistance(basis: Basis, weights: Weights, now: Standing): number | null {
  const { shown, masked } = sheetsOf(basis.calls, basis.measured);
  const sheets = [...shown, ...masked];
  const shares = sharesOf(sheets[0], weights);
  if (shares === null) return null;
  const walks = [
    ...sheets.flatMap((sheet) => [1, -1].map((direction) => pushing(sheet, shares, direction))),
    ...[...shares.keys()].map((receiver) =>
      walkTo(
        receiver,
        [...shares.keys()].filter((id) => id !== receiver),
        shares,
      ),
    ),
  ];
  const flips = walks.flatMap((walk) => {
    const points = turningPoints(walk, boundariesOf(shown, masked, basis.tie_margin));
    const changed = (moved: number) => differs(now, decide(basis, walk.at(Math.min(walk.length, moved))));
    return points.find((moved) => changed(moved) || changed(moved + NUDGE)) ?? [];
  });
  if (flips.length === 0) return null;
  return Number(Math.min(1, ...flips).toFixed(DIGITS));
}

const differs = (one: Standing, other: Standing) =>
  one.outcome !== other.outcome || one.winner_side !== other.winner_side;

/** Weights of the rows that count, summing to 1; null when none has weight. */
function sharesOf(sheet: Sheet | undefined, weights: Weights): Weights | null {
  const rows = sheet?.rows.map(({ id }) => [id, weights.get(id) ?? 0] as const) ?? [];
  const total = rows.reduce((sum, [, weight]) => sum + weight, 0);
  return total > 0 ? new Map(rows.map(([id, weight]) => [id, weight / total])) : null;
}

interface Walk {
  /** Share of weight that can move at most. */
  readonly length: number;
  /** Shares moved so far at each donor's exhaustion, from 0. */
  readonly stops: readonly number[];
  /** Weights after this share has moved. */
  at(moved: number): Weights;
}

/** Moves weight to the row that raises `direction` times the gap most, from the rows that raise it least, in order. */
function pushing(sheet: Sheet, shares: Weights, direction: number): Walk {
  const pull = new Map(sheet.rows.map(({ id, a, b }) => [id, direction * (a - b)]));
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

/** Linear in the weights; where it crosses zero, an outcome may change. */
type Boundary = (shares: Weights) => number;

/** Where a call's gap meets the margin, and where two hearings differ by noise or by what their orders differ. */
function boundariesOf(shown: readonly Sheet[], masked: readonly Sheet[], tie_margin: number): Boundary[] {
  const margins = [...shown, ...masked].flatMap((sheet) =>
    [tie_margin, -tie_margin].map((margin) => (shares: Weights) => gapOf(sheet, shares) - margin),
  );
  const falls = shown.flatMap((sheet) => {
    const again = masked.find(({ order }) => order === sheet.order);
    return again ? [(shares: Weights) => gapOf(sheet, shares) - gapOf(again, shares)] : [];
  });
  const [ab, ba] = falls;
  if (!ab || !ba) return margins;
  const mean: Boundary = (shares) => (ab(shares) + ba(shares)) / 2;
  const noises = [NOISE, -NOISE].map(
    (noise): Boundary =>
      (shares) =>
        mean(shares) - noise,
  );
  const orders = [1, -1].map(
    (sign): Boundary =>
      (shares) =>
        mean(shares) - sign * (ab(shares) - ba(shares)),
  );
  return [...margins, ...noises, ...orders];
}

/** Where a boundary is met on this walk, ascending: it is linear between two stops. */
function turningPoints(walk: Walk, boundaries: readonly Boundary[]): number[] {
  const points = boundaries.flatMap((boundary) => {
    const values = walk.stops.map((stop) => boundary(walk.at(stop)));
    return values.slice(1).flatMap((end, index) => {
      const [start, from, to] = [values[index] ?? 0, walk.stops[index] ?? 0, walk.stops[index + 1] ?? 0];
      const part = -start / (end - start);
      return part >= -ROUNDING && part <= 1 + ROUNDING ? [from + Math.max(0, part) * (to - from)] : [];
    });
  });
  return points.sort((one, other) => one - other);
}

const gapOf = (sheet: Sheet, shares: Weights) =>
  sheet.rows.reduce((sum, { id, a, b }) => sum + (shares.get(id) ?? 0) * (a - b), 0);
