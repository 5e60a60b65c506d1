import type { ContestArm } from "../../domain/contest.ts";
import type { SeriesRecord } from "../../domain/series-record.ts";
import type { TrialRow } from "../../domain/trial.ts";
import { steadily } from "../../runtime/pace.ts";
import { type PlayedPair, playedPairs, rulesOfContest } from "./played.ts";
import { type ContestRules, type Replay, replaying } from "./replay.ts";

/** Which arms of a contest still run. */
export interface ContestStanding {
  /** Rounds that are complete for all arms that take part. */
  readonly rounds: number;
  /** In the order of the plan. */
  readonly arms: readonly Pick<ContestArm, "arm_id" | "status" | "out_at_round" | "settled">[];
}

/** Where a contest stands: the same for the same trials, in whatever order they ended. @param rows of all its trials */
export async function contestStanding(contest: SeriesRecord, rows: readonly TrialRow[]): Promise<ContestStanding> {
  return await standingOfPairs(contest, await playedPairs(contest, rows));
}

export async function standingOfPairs(contest: SeriesRecord, played: readonly PlayedPair[]): Promise<ContestStanding> {
  const rules = rulesOfContest(contest);
  return standingIn(rules, await steadily(replaying(rules, played)));
}

export function standingIn(rules: ContestRules, { rounds, out_at }: Replay): ContestStanding {
  const { arms, mode, control, keep_running = false } = rules.plan;
  const left = arms.filter((arm) => arm !== control && !out_at.has(arm));
  const inBestSet = arms.filter((arm) => !out_at.has(arm));
  const isSettled = (arm: string) => {
    if (keep_running) return false;
    if (mode === "best") return out_at.has(arm) || inBestSet.length === 1;
    return arm === control ? left.length === 0 : out_at.has(arm);
  };
  const statusOf = (arm: string) => {
    if (mode === "best") return out_at.has(arm) ? "out" : "best_set";
    return arm === control ? "control" : "candidate";
  };
  return {
    rounds,
    arms: arms.map((arm_id) => ({
      ...{ arm_id, status: statusOf(arm_id), settled: isSettled(arm_id) },
      out_at_round: out_at.get(arm_id) ?? null,
    })),
  };
}
