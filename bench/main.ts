import { existsSync } from "node:fs";
import { typeFlag } from "type-flag";

/** What is measured, in this order; each part loads what it needs when its turn comes. */
const PARTS: Readonly<Record<string, () => Promise<void>>> = {
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
  cheaper: async () => (await import("./cheaper.ts")).cheaper(),
  tasks: async () => (await import("./tasks.ts")).tasks(),
  judging: async () => (await import("./judging.ts")).judging(),
  "self-test": async () => (await import("./self-test.ts")).selfTest(),
  stored: async () => (await import("./stored.ts")).stored(),
  lists: async () => (await import("./lists.ts")).lists(),
  scale: async () => (await import("./scale.ts")).scale(),
};

// The outcomes are those of `tasks`.
const { _: named, unknownFlags } = typeFlag({ outcomes: String });
const parts = named.length > 0 ? [...named] : Object.keys(PARTS);
const unknown = Object.keys(unknownFlags)[0] ?? parts.find((name) => PARTS[name] === undefined);
if (unknown !== undefined) {
  console.error(`there is no part "${unknown}"; parts: ${Object.keys(PARTS).join(", ")}`);
  process.exit(2);
}

const { ABEVAL } = await import("./program.ts");
if (!existsSync(ABEVAL)) {
  console.error(`there is no program at ${ABEVAL}: build it with "bun run build", or name one with ABEVAL_BIN`);
  process.exit(2);
}

const { printHead } = await import("./measure.ts");
printHead();
for (const name of parts) await PARTS[name]?.();
