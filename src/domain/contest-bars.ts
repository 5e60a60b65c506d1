import type { Contest, ContestArm } from "./contest.ts";

/** Where an arm stands on an axis, 0 to 1. */
export interface ArmBar {
  readonly arm: ContestArm;
  /** Its distance from the control, else its lead over the others; null: no trial counts. */
  readonly at: number | null;
  /** Null: a lead has no range, and the control is the middle. */
  readonly range: readonly [low: number, high: number] | null;
}

interface ArmBars {
  /** Points at the right end of the axis; the left end has as many below 0. */
  readonly ends: number;
  readonly bars: readonly ArmBar[];
}

/** Every arm on one axis, whose middle is the control, or the mean of the others; the best first. */
export function armBars({ contest: { arms, control } }: Pick<Contest, "contest">): ArmBars {
  const placed = arms.map((arm) => {
    const { result, lead } = arm;
    const range = result ? ([result.low, result.high] as const) : null;
    return { arm, at: control === null ? lead : (result?.difference ?? (arm.arm_id === control ? 0 : null)), range };
  });
  const furthest = Math.max(...placed.flatMap(({ at, range }) => [at ?? 0, ...(range ?? [])]).map(Math.abs));
  const ends = ENDS.find((points) => points / 100 >= furthest) ?? 100;
  const share = (difference: number) => (1 + difference / (ends / 100)) / 2;
  return {
    ends,
    bars: placed.map(({ arm, at, range }) => ({
      arm,
      at: at === null ? null : share(at),
      range: range && [share(range[0]), share(range[1])],
    })),
  };
}

const ENDS = [10, 20, 30, 50, 75, 100] as const;

/** What one arm is ahead of another by; null where the two are not compared, or no trial of theirs counts. */
interface PairCell {
  readonly points: number | null;
  /** Low and high. Absent: no trial of the two counts. */
  readonly range?: readonly [number, number];
  /** It is shown to be better, or worse. */
  readonly claim: "better" | "worse" | null;
}

/** By arm and other arm, in the order of the arms: each pair, seen from the first. */
export function pairMatrix({ contest: { arms, pairs } }: Pick<Contest, "contest">): readonly (readonly PairCell[])[] {
  const nameOf = (names: readonly string[]) => names.toSorted().join("\n");
  const found = new Map(pairs.map((pair) => [nameOf(pair.arms), pair]));
  return arms.map(({ arm_id }) =>
    arms.map((other) => seenFrom(arm_id, found.get(nameOf([arm_id, other.arm_id])) ?? { result: null, claim: null })),
  );
}

type Pair = Pick<Contest["contest"]["pairs"][number], "result" | "claim">;

function seenFrom(arm: string, { result, claim: better }: Pair): PairCell {
  const claim = better === null ? null : better === arm ? "better" : "worse";
  if (result === null) return { points: null, claim };
  const { difference, low, high, candidate } = result;
  if (candidate === arm) return { points: difference, range: [low, high], claim };
  return { points: -difference, range: [-high, -low], claim };
}
