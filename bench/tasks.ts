import {
  claimsPublished,
  falseClaimsOfRates,
  falseClaimsOfTrials,
  falseTaskClaims,
  likeCoins,
  likePublished,
} from "../test/statistics/tasks.ts";
import type { Published } from "./outcomes.ts";

const MANY = { repetitions: 2_000, seed: 1, rounds: 64 };

/** How often like_these claims an arm where neither is ahead, looked at after every round; on tasks of published agents where they are given. */
export async function tasks(published?: Published): Promise<void> {
  console.log(
    `\nFalse claims of like_these in ${MANY.repetitions} series from seed ${MANY.seed}, looked at after each round`,
  );
  if (published) return ofPublished(published);
  print(
    "40 tasks, 57% of them always or never solved, 64 rounds",
    falseTaskClaims({ ...MANY, tasksOf: likePublished }),
  );
  print("40 tasks, each a coin of its own for both arms, 64 rounds", falseTaskClaims({ ...MANY, tasksOf: likeCoins }));
  console.log(`  ${SOURCES}`);
}

function ofPublished({ path, arms, outcomes }: Published): void {
  const trials = Math.max(...outcomes.map(({ length }) => length));
  console.log(`  ${path}: ${outcomes.length} tasks, up to ${trials} trials each, of ${arms.join(" and ")}`);
  print(`its ${trials} rounds, a coin for each task says whose is whose`, falseClaimsOfTrials(outcomes, MANY));
  print("64 rounds by its rates, a coin for each task likewise", falseClaimsOfRates(outcomes, MANY));
  console.log(`  as published, these agents are ${claimsPublished(outcomes) ? "" : "not "}told apart`);
}

const print = (what: string, share: number) => console.log(`  ${what.padEnd(58)} ${(100 * share).toFixed(1)}%`);

const SOURCES =
  "Outcomes of published agents by task and trial: Terminal-Bench's leaderboard (results/**/results.json of its repository, one for each task of each run: task_id, is_resolved; five runs of most agents), the trajectories of tau-bench (historical_trajectories/*.json of its repository: task_id, trial, reward). Write them as scenario,trial,arm,passed and give the file with --outcomes.";
