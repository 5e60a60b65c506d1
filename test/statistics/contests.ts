import { type ContestPlan, contestPairs } from "../../src/domain/contest-plan.ts";
import { MARGIN } from "../../src/domain/defaults.ts";
import { ALPHA } from "../../src/domain/series-record.ts";
import { sequentialTestOf } from "../../src/statistics/claim/sequential-test.ts";
import type { CountedTrial, Difference } from "../../src/statistics/claim/tally.ts";
import { type PairEvidence, type Replay, replaying } from "../../src/statistics/contest/replay.ts";
import { type Chance, chanceOf } from "../judge/simulation/pairs.ts";
import { rowOf } from "./series.ts";

/** Contests of arms that solve each trial with a chance of their own. */
export interface Contested {
  readonly mode: ContestPlan["mode"];
  readonly tasks: number;
  readonly rounds: number;
  /** By arm; the first is the control. */
  readonly chances: readonly number[];
  readonly repetitions: number;
  readonly seed: number;
}

/** Shares of the contests, and means over them. */
interface ContestRates {
  /** Some arm leaves, or some candidate is told better or worse, at some round. */
  readonly any: number;
  /** The last arm alone is left, or told better and nobody else anything. */
  readonly last: number;
  /** The first arm leaves. */
  readonly first: number;
  /** Runs of arms until each is settled, of all that are planned. */
  readonly runs: number;
}

export function contestRates({ repetitions, seed, ...contested }: Contested): ContestRates {
  const chance = chanceOf(seed);
  const plan = planOf(contested);
  const ends = Array.from({ length: repetitions }, () => endIn(plan, contested, chance));
  const mean = (of: (end: (typeof ends)[number]) => number) =>
    ends.reduce((sum, end) => sum + of(end), 0) / repetitions;
  return {
    any: mean(({ any }) => Number(any)),
    last: mean(({ last }) => Number(last)),
    first: mean(({ first }) => Number(first)),
    runs: mean(({ runs }) => runs),
  };
}

function planOf({ chances, mode }: Pick<Contested, "chances" | "mode">): ContestPlan {
  const arms = chances.map((_, place) => `arm${place}`);
  const compared = { mode, control: mode === "against" ? "arm0" : null };
  return { arms, ...compared, pairs: contestPairs(arms, compared).map((pair) => ({ arms: [...pair] })) };
}

type Simulated = Omit<Contested, "repetitions" | "seed">;

function endIn(plan: ContestPlan, contested: Simulated, chance: Chance) {
  const { arms, mode } = plan;
  const out = leftIn(plan, contested, chance);
  const last = out.has(arms.at(-1) ?? "");
  const isOver = mode === "best" && out.size === arms.length - 1;
  const end = isOver ? Math.max(...out.values()) : contested.rounds;
  return {
    any: out.size > 0,
    first: out.has(arms[0] ?? ""),
    last: mode === "best" ? isOver && !last : out.size === 1 && last,
    runs: arms.reduce((sum, arm) => sum + contested.tasks * (out.get(arm) ?? end), 0),
  };
}

/** By arm the round after which it left, or was settled as better or worse. */
function leftIn(plan: ContestPlan, { chances, tasks, rounds }: Simulated, chance: Chance) {
  const solved = chances.map((own) =>
    Array.from({ length: tasks }, () => Array.from({ length: rounds }, () => chance() < own)),
  );
  const places = new Map(plan.arms.map((arm, place) => [arm, place]));
  const pairs = plan.pairs.map(({ arms: [a = "", b = ""] }): PairEvidence => {
    const [ofA, ofB] = [solved[places.get(a) ?? 0] ?? [], solved[places.get(b) ?? 0] ?? []];
    const scenarios = ofA.map(
      (own, task) =>
        own.map((is, round) => trialOf((Number(is) - Number(ofB[task]?.[round])) as Difference, round + 1)), // 1, 0 or -1
    );
    return { sided: sequentialTestOf({ scenarios, deleted: 0 }, LEVELS).sided, is_over: false };
  });
  return replayed({ plan, alpha: ALPHA, settles_at: "better" }, pairs).out_at;
}

/** At once. */
function replayed(...of: Parameters<typeof replaying>): Replay {
  const work = replaying(...of);
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

const LEVELS = { alpha: ALPHA, margin: MARGIN, sided: true } as const;

/** Its conduct is unknown, so that it is no copy. */
const ROW = rowOf({ trial: 1, round: 1, scenario: "S" }, "tie", { conduct: null });

const trialOf = (d: Difference, round: number): CountedTrial => ({ row: ROW, d, round, missing_before: 0 });

/** A rate holds when it is at most the bound and two standard errors. */
export const boundOf = (repetitions: number) => ALPHA + 2 * Math.sqrt((ALPHA * (1 - ALPHA)) / repetitions);

/** Tasks, and rounds of them. */
export const EQUAL_PLANS = [
  [1, 100],
  [10, 20],
  [30, 10],
] as const;
