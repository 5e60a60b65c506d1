import { existsSync } from "node:fs";
import { typeFlag } from "type-flag";
import type { Leaderboard } from "../test/statistics/leaderboards.ts";
import { BadOutcomes, type Published, readLeaderboard, readPublished } from "./outcomes.ts";

/** The table of `--outcomes`, as the part that takes it reads it. */
interface Given {
  readonly tasks?: Published;
  readonly leaderboard?: Leaderboard;
}

/** What is measured, in this order; each part loads what it needs when its turn comes. */
const PARTS: Readonly<Record<string, (given: Given) => Promise<void>>> = {
  start: async () => (await import("./start.ts")).start(),
  session: async () => (await import("./session.ts")).session(),
  growth: async () => (await import("./growth.ts")).growth(),
  sandbox: async () => (await import("./sandbox.ts")).sandbox(),
  workspace: async () => (await import("./workspace.ts")).workspace(),
  image: async () => (await import("./image.ts")).image(),
  requests: async () => (await import("./requests.ts")).requests(),
  stream: async () => (await import("./stream.ts")).stream(),
  load: async () => (await import("./load.ts")).load(),
  series: async () => (await import("./series.ts")).series(),
  table: async () => (await import("./table.ts")).table(),
  baselines: async () => (await import("./baselines.ts")).baselines(),
  splits: async () => (await import("./splits.ts")).splits(),
  clusters: async () => (await import("./clusters.ts")).clusters(),
  watch: async () => (await import("./watch.ts")).watch(),
  gates: async () => (await import("./gates.ts")).gates(),
  contests: async () => (await import("./contests.ts")).contests(),
  "contest-looks": async () => (await import("./contest-looks.ts")).contestLooks(),
  cheaper: async () => (await import("./cheaper.ts")).cheaper(),
  leaderboard: async ({ leaderboard }) => (await import("./leaderboard.ts")).leaderboard(leaderboard),
  tasks: async ({ tasks }) => (await import("./tasks.ts")).tasks(tasks),
  judging: async () => (await import("./judging.ts")).judging(),
  "self-test": async () => (await import("./self-test.ts")).selfTest(),
  stored: async () => (await import("./stored.ts")).stored(),
  lists: async () => (await import("./lists.ts")).lists(),
  scale: async () => (await import("./scale.ts")).scale(),
};

const { _: named, unknownFlags, flags } = typeFlag({ outcomes: String, arms: String });
const parts = named.length > 0 ? [...named] : Object.keys(PARTS);
const unknown = Object.keys(unknownFlags)[0] ?? parts.find((name) => PARTS[name] === undefined);
if (unknown !== undefined) refuse(`there is no part "${unknown}"; parts: ${Object.keys(PARTS).join(", ")}`);
const given = await givenOutcomes();

const { ABEVAL } = await import("./program.ts");
if (!existsSync(ABEVAL))
  refuse(`there is no program at ${ABEVAL}: build it with "bun run build", or name one with ABEVAL_BIN`);

const { printHead } = await import("./measure.ts");
printHead();
for (const name of parts) await PARTS[name]?.(given);

/** Whoever waits for other parts hears of a bad table first. */
async function givenOutcomes(): Promise<Given> {
  const { outcomes, arms } = flags;
  if (outcomes === undefined) return arms === undefined ? {} : refuse("--arms chooses of a table: give --outcomes");
  const [part, other] = parts.filter((name) => name === "tasks" || name === "leaderboard");
  if (part === undefined || other !== undefined)
    return refuse("--outcomes is the table of the part tasks, or of the part leaderboard: name one of them");
  try {
    if (part === "tasks") return { tasks: await readPublished(outcomes, arms) };
    return { leaderboard: await readLeaderboard(outcomes, arms) };
  } catch (error) {
    if (error instanceof BadOutcomes) return refuse(error.message);
    throw error;
  }
}

function refuse(why: string): never {
  console.error(why);
  process.exit(2);
}
