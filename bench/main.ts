import { existsSync } from "node:fs";
import { typeFlag } from "type-flag";
import { BadOutcomes, type Published, readPublished } from "./outcomes.ts";

/** What the flags name. */
interface Given {
  readonly published?: Published | undefined;
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
  cheaper: async () => (await import("./cheaper.ts")).cheaper(),
  tasks: async ({ published }) => (await import("./tasks.ts")).tasks(published),
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
const published = await publishedOutcomes();

const { ABEVAL } = await import("./program.ts");
if (!existsSync(ABEVAL))
  refuse(`there is no program at ${ABEVAL}: build it with "bun run build", or name one with ABEVAL_BIN`);

const { printHead } = await import("./measure.ts");
printHead();
for (const name of parts) await PARTS[name]?.({ published });

/** The table that `tasks` takes; whoever waits for other parts hears of a bad one first. */
async function publishedOutcomes(): Promise<Published | undefined> {
  const { outcomes, arms } = flags;
  if (outcomes === undefined)
    return arms === undefined ? undefined : refuse("--arms chooses two of a table: give --outcomes");
  if (!parts.includes("tasks")) return refuse("--outcomes is the table of the part tasks: name it, too");
  try {
    return await readPublished(outcomes, arms);
  } catch (error) {
    if (error instanceof BadOutcomes) return refuse(error.message);
    throw error;
  }
}

function refuse(why: string): never {
  console.error(why);
  process.exit(2);
}
