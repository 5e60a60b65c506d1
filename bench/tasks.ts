import { typeFlag } from "type-flag";
import { falseTaskClaims, likeCoins, likePublished, ratesIn } from "../test/statistics/tasks.ts";

const MANY = { repetitions: 2_000, seed: 1, rounds: 64 };

/**
 * How often like_these claims an arm where neither is ahead, looked at after every round. `--outcomes <file>` takes the tasks of a table
 * of results instead (CSV as `abeval run --results` reads it: scenario,trial,arm,passed, of two arms).
 */
export async function tasks(): Promise<void> {
  const { outcomes } = typeFlag({ outcomes: String }).flags;
  console.log(
    `\nFalse claims of like_these in ${MANY.repetitions} series from seed ${MANY.seed} of ${MANY.rounds} rounds, looked at after each`,
  );
  if (outcomes === undefined) {
    print("40 tasks, 57% of them always or never solved", falseTaskClaims({ ...MANY, tasksOf: likePublished }));
    print("40 tasks, each a coin of its own for both arms", falseTaskClaims({ ...MANY, tasksOf: likeCoins }));
    console.log(`  ${SOURCES}`);
    return;
  }
  const rates = await ratesIn(await Bun.file(outcomes).text());
  print(`the ${rates.length} tasks of ${outcomes}`, falseTaskClaims({ ...MANY, tasksOf: () => rates }));
}

const print = (what: string, share: number) => console.log(`  ${what.padEnd(50)} ${(100 * share).toFixed(1)}%`);

const SOURCES =
  "Outcomes of published agents by task and trial: the trajectories of tau-bench (historical_trajectories/*.json of its repository: task_id, trial, reward), the results of SWE-bench (its repository of experiments). Write them as scenario,trial,arm,passed and give the file with --outcomes.";
