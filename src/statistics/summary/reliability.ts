import { wilson } from "../../domain/binomial.ts";
import type { Series } from "../../domain/series.ts";
import type { SolvedCount } from "../../domain/series-arm.ts";
import type { TrialRow } from "../../domain/trial.ts";
import type { Side } from "../../domain/verdict.ts";

/** How many of an arm's trials passed every required check. */
interface Solved {
  readonly solved: number;
  readonly trials: number;
}

type CrashedCount = NonNullable<Series["arms"][Side]["crashed"]>;

/** A longer row would tell a reader nothing more. */
const LONGEST_ROW = 8;

/** Shares for k = 1, 2, ... in order, for as many trials as there are, at most 8. */
interface Reliability {
  /** k trials, drawn without putting back, are all solved: whether the arm can be relied on. */
  readonly pass_power: readonly number[];
  /** The chance that at least one of k is solved, which says whether trying again helps. */
  readonly pass_at: readonly number[];
}

/** The solved among completed runs, whatever the judge found; null without required checks. */
export function solvedOf(rows: readonly TrialRow[], side: Side): SolvedCount | null {
  const known = rows.filter(({ state }) => state === "completed").flatMap(({ arms }) => arms[side].solved ?? []);
  const [solved, trials] = [known.filter(Boolean).length, known.length];
  if (trials === 0) return null;
  const { pass_power, pass_at } = reliability({ solved, trials });
  return { solved, trials, ...wilson(solved, trials), pass_power: [...pass_power], pass_at: [...pass_at] };
}

/** Trials of completed ones in which the arm's agent crashed; undefined while there is none. */
export function crashedOf(rows: readonly TrialRow[], side: Side): CrashedCount | undefined {
  const completed = rows.filter(({ state }) => state === "completed");
  const crashed = completed.filter(({ arms }) => arms[side].crashed).length;
  return crashed === 0 ? undefined : { crashed, trials: completed.length };
}

export function reliability({ solved, trials }: Solved): Reliability {
  const rows = Array.from({ length: Math.min(trials, LONGEST_ROW) }, (_, index) => index + 1);
  return {
    pass_power: rows.map((k) => shareOfDraws(solved, trials, k)),
    pass_at: rows.map((k) => 1 - shareOfDraws(trials - solved, trials, k)),
  };
}

/** C(some, k) / C(all, k), without the large numbers. */
const shareOfDraws = (some: number, all: number, k: number): number =>
  Array.from({ length: k }, (_, drawn) => Math.max(0, some - drawn) / (all - drawn)).reduce(
    (share, part) => share * part,
    1,
  );
