import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inTurns, report, round, sampleOf, timeProcess } from "./measure.ts";
import { ABEVAL, BenchDirectory } from "./program.ts";

const ROUNDS = 30;

/** The compiled program beside an empty one: its size, and what it takes to say something about itself. */
export async function start(): Promise<void> {
  const dir = new BenchDirectory();
  const [source, empty] = [join(dir.path, "empty.ts"), join(dir.path, "empty")];
  writeFileSync(source, "");
  await Bun.$`bun build --compile --minify --bytecode --format=esm ${source} --outfile ${empty}`.quiet();
  const took = async (command: readonly string[]) => (await timeProcess(command)).ms;
  const times = await inTurns(
    { empty: () => took([empty]), version: () => took([ABEVAL, "--version"]), help: () => took([ABEVAL, "--help"]) },
    ROUNDS,
  );
  for (const name of ["version", "help"] as const) {
    const ratio = times[name].median / times.empty.median;
    const yardstick = `${round(ratio)} x an empty program (${round(times.empty.median)} ms), n=${ROUNDS}`;
    report(`--${name}`, times[name], { unit: "ms", yardstick, goal: "<= 1.5 x", met: ratio <= 1.5 });
  }
  const [ours, least] = [statSync(ABEVAL).size, statSync(empty).size].map((bytes) => bytes / 2 ** 20);
  const ratio = (ours ?? Number.NaN) / (least ?? Number.NaN);
  report("executable", sampleOf([ours ?? Number.NaN]), {
    unit: "MiB",
    yardstick: `${ratio.toFixed(4)} x an empty program`,
    goal: "<= 1.25 x",
    met: ratio <= 1.25,
  });
}
