import { resolve } from "node:path";
import { readText } from "../src/comparison/scenario/read-text.ts";
import { Unusable } from "../src/comparison/scenario/unusable.ts";
import { readResults } from "../src/comparison/table/read-results.ts";
import { TABLE_BYTES, TableFault } from "../src/comparison/table/table-rows.ts";
import type { Leaderboard } from "../test/statistics/leaderboards.ts";
import type { Outcomes } from "../test/statistics/tasks.ts";

/** What is wrong with a file of outcomes, where, and what to do; a sentence for people. */
export class BadOutcomes extends Error {}

/** The outcomes of two published agents. */
export interface Published {
  readonly path: string;
  readonly arms: readonly [string, string];
  readonly outcomes: Outcomes;
}

/** @param arms two names with a comma between them, of a table with more @throws BadOutcomes */
export const readPublished = (path: string, arms?: string): Promise<Published> =>
  reading(path, arms, (found) => {
    if (found.contest) throw new TableFault("has more than two arms; name two of them with --arms <a>,<b>", 1);
    const outcomes = found.scenarios.map(({ trials }) => trials.map(([, a, b]) => [a, b] as const));
    return { path, arms: [found.arms.a, found.arms.b], outcomes };
  });

/** @param arms some of the table, with commas between them @throws BadOutcomes */
export const readLeaderboard = (path: string, arms?: string): Promise<Leaderboard> =>
  reading(path, arms, ({ contest, scenarios }) => {
    if (!contest) throw new TableFault("has two arms; a leaderboard has three or more", 1);
    return new Map(
      contest.arms.map((arm, place) => {
        const told = scenarios.map(({ scenario, trials, others = [] }) => {
          const own = trials.map(([, a, b], index) => [a, b, ...(others[index] ?? [])][place] ?? null);
          return [scenario, own.filter((result) => result !== null)] as const;
        });
        return [arm, new Map(told)];
      }),
    );
  });

type Found = Awaited<ReturnType<typeof readResults>>;

async function reading<T>(path: string, arms: string | undefined, take: (found: Found) => T): Promise<T> {
  if (path === "") throw new BadOutcomes(`--outcomes: names no file. ${WANTED}`);
  try {
    const found = await readResults(await readText(resolve(path), TABLE_BYTES), "csv", { arms });
    if (found.measure !== "passed") throw new TableFault("has scores, and an outcome is passed or not", 1);
    return take(found);
  } catch (error) {
    if (error instanceof Unusable) throw new BadOutcomes(`--outcomes: ${path} ${error.message}. ${WANTED}`);
    if (!(error instanceof TableFault)) throw error;
    const { line, column } = error;
    const place = [path, line, ...(column ? [column] : [])].join(":");
    throw new BadOutcomes(`--outcomes: ${place}: ${error.message}. ${WANTED}`);
  }
}

const WANTED =
  "Give a CSV table of agents with the columns scenario, trial, arm and passed, as abeval results reads it.";
