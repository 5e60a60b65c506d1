import type { ContestPlan } from "../domain/contest-plan.ts";
import { MARGIN } from "../domain/defaults.ts";
import type { ContestEstimate, CostEstimate } from "../domain/doctor-report.ts";
import { ALPHA, type SeriesMeasure } from "../domain/series-record.ts";
import { NOT_WORSE_BY } from "../domain/series-result.ts";
import { Pace } from "../runtime/pace.ts";
import { claimBorder } from "./claim/forecast.ts";
import { chanceOfPassing } from "./claim/pairs-needed.ts";

/** What a plan promises before its first trial. */
interface Power {
  /** The chance of a claim for the arm that is really ahead. */
  readonly chance: number;
  /** The chance of a claim for the other arm. */
  readonly wrong: number;
  /** Until a claim or the end. */
  readonly mean_trials: number;
}

interface Assumed {
  /** Share of the decided trials that the arm ahead wins. */
  readonly win: number;
  /** Share of trials without a winner. */
  readonly tie: number;
  /** Share of all series of equal arms that may make a claim; absent: of two arms. */
  readonly alpha?: number;
}

/**
 * The exact sequential of a series of one scenario with at most `trials` trials, which a claim ends; stops that wait for nothing
 * are left out. Takes the second power of the trials; others have their turn meanwhile.
 */
export async function powerOf(trials: number, { win, tie, alpha = ALPHA }: Assumed): Promise<Power> {
  const pace = new Pace();
  const claims = await claimsByDecided(trials, { win, alpha }, pace);
  const { sooner, waited } = await timesOfDecided(trials, 1 - tie, pace);
  const sum = (of: (decided: number) => number) => claims.reduce((total, _, decided) => total + of(decided), 0);
  const right = sum((decided) => (claims[decided]?.right ?? 0) * (sooner[decided] ?? 0));
  const wrong = sum((decided) => (claims[decided]?.wrong ?? 0) * (sooner[decided] ?? 0));
  const claimed = sum((decided) => anyOf(claims[decided]));
  const mean_trials = sum((decided) => anyOf(claims[decided]) * (waited[decided] ?? 0)) + (1 - claimed) * trials;
  return { chance: right, wrong, mean_trials };
}

interface Claims {
  readonly right: number;
  readonly wrong: number;
}

const anyOf = (claims: Claims | undefined) => (claims ? claims.right + claims.wrong : 0);

/** Places that a recursion looks at in the time of one unit of `Pace`. */
const PLACES_IN_A_UNIT = 500;

/** How likely a claim is made with exactly so many decided trials; a trial without a winner moves no evidence. */
async function claimsByDecided(
  most: number,
  { win, alpha }: { readonly win: number; readonly alpha: number },
  pace: Pace,
): Promise<readonly Claims[]> {
  const borders = claimBorder({ wins: 0, losses: 0 }, most, { alpha });
  const claims: Claims[] = [{ right: 0, wrong: 0 }];
  /** By the number of losses: that nothing is claimed yet. */
  let open = [1];
  for (let decided = 1; decided <= most; decided += 1) {
    const chances = Array.from(
      { length: decided + 1 },
      (_, losses) => (open[losses] ?? 0) * win + (open[losses - 1] ?? 0) * (1 - win),
    );
    const isRight = (losses: number) => decided - losses >= (borders[losses] ?? 0);
    const isWrong = (losses: number) => losses >= (borders[decided - losses] ?? 0);
    const sum = (is: (losses: number) => boolean) =>
      chances.reduce((total, chance, losses) => (is(losses) ? total + chance : total), 0);
    claims.push({ right: sum(isRight), wrong: sum(isWrong) });
    open = chances.map((chance, losses) => (isRight(losses) || isWrong(losses) ? 0 : chance));
    await pace.units(decided / PLACES_IN_A_UNIT);
  }
  return claims;
}

/**
 * By the number of decided trials: `sooner`, the chance that so many come within `trials`; `waited`, the mean number of trials
 * until they have come, or the plan ends.
 */
async function timesOfDecided(trials: number, share: number, pace: Pace) {
  const waited = Array.from({ length: trials + 1 }, () => 0);
  /** By the number of decided trials among those so far. */
  let chances = [1];
  for (let trial = 0; trial < trials; trial += 1) {
    let fewer = 0;
    for (let decided = 1; decided <= trials; decided += 1) {
      fewer += chances[decided - 1] ?? 0;
      waited[decided] = (waited[decided] ?? 0) + fewer;
    }
    const before = chances;
    chances = Array.from(
      { length: trial + 2 },
      (_, decided) => (before[decided] ?? 0) * (1 - share) + (before[decided - 1] ?? 0) * share,
    );
    await pace.units(trials / PLACES_IN_A_UNIT);
  }
  let sooner = 0;
  const atLeast = chances.map((_, index) => {
    sooner += chances[trials - index] ?? 0;
    return sooner;
  });
  return { sooner: atLeast.reverse(), waited };
}

/** The table of docs/series.md has the same ones. */
const TIE = 0.2;
const WINS = [0.7, 0.8, 0.9];

/** Null when no cost is known. */
const times = (usd: number | null, trials: number) => (usd === null ? null : usd * trials);

const plus = (one: number | null, other: number | null) => (one === null || other === null ? null : one + other);

/** Chances of more trials differ from those of so many by less than anybody reads, and take the second power of the trials. */
const MOST_TRIALS = 400;

/** What was asked of the series beside its trials, and what its rows are. */
interface AskedOf {
  readonly measure?: SeriesMeasure | undefined;
  readonly not_worse_by?: number | undefined;
  /** What counts once in a round, where rows are in clusters. */
  readonly clusters?: number | undefined;
  /** Absent: two arms are compared. */
  readonly contest?: Compared | undefined;
}

/** More than two arms. */
interface Compared extends Pick<ContestPlan, "mode" | "control"> {
  readonly arms: readonly string[];
  readonly pairs: readonly unknown[];
}

/** What so many trials of each scenario, or of each row, take, and what all together can be expected to show. */
export async function seriesEstimate(
  files: readonly CostEstimate[],
  each: number,
  { clusters, measure, not_worse_by, contest }: AskedOf = {},
): Promise<NonNullable<CostEstimate["series"]>> {
  const members = files.reduce((sum, { rows = 1 }) => sum + rows, 0);
  const units = (clusters ?? members) * each;
  const chances = await chancesOf(units, contest);
  const usd = (of: (file: CostEstimate) => Usd) =>
    files.reduce<Usd>((sum, file) => plus(sum, times(of(file), each * (file.rows ?? 1))), 0);
  const measured = measure ?? (files.every((file) => file.measure === "solved") ? "solved" : "preferred");
  const chance_better = chances[1]?.chance_of_claim ?? 0;
  const chance_equal_passes = await equalPass(units, measured === "solved" ? "solved" : "preferred", {
    contest,
    not_worse_by,
  });
  const high_usd = usd((file) => roundUsd(file, contest, "bound_usd") ?? file.high_usd);
  return {
    ...{ trials: members * each, members, chances },
    low_usd: usd((file) => roundUsd(file, contest, "likely_usd") ?? file.low_usd),
    likely_usd: usd((file) => roundUsd(file, contest, "likely_usd") ?? file.likely_usd ?? file.low_usd),
    ...{ high_usd, bound_usd: high_usd },
    ...(clusters !== undefined && { clusters }),
    ...(not_worse_by !== undefined && { not_worse_by }),
    ...{ chance_better, chance_equal_passes },
    ...(contest && {
      contest: contestEstimate(contest, { trials: members * each, chance_better, chance_equal_passes, usd }),
    }),
  };
}

/**
 * Of several pairs a claim holds together with all others, whatever these are, where it holds at its part of the level. Of all pairs
 * of arms an arm is out before its pair is claimed: where the mean of what the others show against it reaches the first bar, which
 * what one of them shows does alone at half of that part.
 */
async function chancesOf(units: number, contest: Compared | undefined) {
  const chances = [];
  const pairs = (contest?.pairs.length ?? 1) * (contest?.mode === "best" ? 2 : 1);
  for (const win_share of WINS) {
    const assumed = { win: win_share, tie: TIE, alpha: ALPHA / pairs };
    const { chance, mean_trials } = await powerOf(Math.min(units, MOST_TRIALS), assumed);
    chances.push({ win_share, chance_of_claim: chance, mean_trials });
  }
  return chances;
}

interface OfArms {
  readonly trials: number;
  readonly chance_better: number;
  readonly chance_equal_passes: number | null;
  /** Of all files. */
  readonly usd: (of: (file: CostEstimate) => Usd) => Usd;
}

function contestEstimate(
  { arms, mode, control, pairs }: Compared,
  { trials, usd, ...chances }: OfArms,
): ContestEstimate {
  const none = { chance_better: null, chance_equal_passes: null };
  return {
    ...{ mode, control, pairs: pairs.length },
    arms: arms.map((arm_id) => {
      const of = (figure: "likely_usd" | "bound_usd") =>
        usd(({ round }) => round?.arms.find((arm) => arm.arm_id === arm_id)?.[figure] ?? null);
      const spent = { likely_usd: of("likely_usd"), bound_usd: of("bound_usd") };
      return { arm_id, trials, ...spent, ...(arm_id === control ? none : chances) };
    }),
  };
}

type Usd = number | null;

/** One run of each arm, and the judging of each pair. Undefined: two arms are compared. */
function roundUsd({ round }: CostEstimate, contest: Compared | undefined, of: "likely_usd" | "bound_usd") {
  if (!round || !contest) return undefined;
  const arms = round.arms.map((arm) => arm[of]);
  return [...arms, times(round.judging[of], contest.pairs.length)].reduce<Usd>(plus, 0);
}

/** Two equal arms: each solves 9 of 10, or each is preferred in 2 of 5 trials. */
const EQUAL = { solved: 0.09, preferred: 0.4 } as const;

/** Null also where nobody is the control. */
async function equalPass(
  pairs: number,
  measure: keyof typeof EQUAL,
  { contest, not_worse_by = NOT_WORSE_BY[measure] }: Pick<AskedOf, "contest" | "not_worse_by">,
): Promise<number | null> {
  if (contest?.control === null) return null;
  const candidates = (contest?.arms.length ?? 2) - 1;
  const levels = { alpha: ALPHA / candidates, margin: MARGIN, not_worse_by };
  return await chanceOfPassing(pairs, { win: EQUAL[measure], loss: EQUAL[measure] }, levels);
}
