import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSandbox } from "../src/arms/sandbox/open-sandbox.ts";
import { openPristine } from "../src/arms/workspace/pristine.ts";
import { inTurns, report, round } from "./measure.ts";
import { BenchDirectory } from "./program.ts";

const FILES = 10_000;
const ROUNDS = 5;
const GOAL_MS = 1_500;
const CHANGED = "0/0/0.ts";

/**
 * Two arms over a fixture of 10,000 files: the pristine copy, both workspaces, one edit in each, both diffs. The yardstick is
 * two copies and two diffs by the system's own tools. Nothing is removed before the end: ext4 without a journal is slow after
 * removals, and would measure the rounds before.
 */
export async function workspace(): Promise<void> {
  const dir = new BenchDirectory();
  await using opened = new AsyncDisposableStack();
  const fixture = makeFixture(join(dir.path, "fixture"));
  const times = await inTurns(
    { tools: () => byTools(fixture, dir.path), ours: () => twoArms(fixture, opened) },
    ROUNDS,
  );
  report(`two arms over ${FILES} files`, times.ours, {
    unit: "ms",
    yardstick: `2 x (cp -a, git diff --no-index) ${round(times.tools.median)} ms, n=${ROUNDS}`,
    goal: `<= ${GOAL_MS} ms`,
    met: times.ours.median <= GOAL_MS,
  });
}

async function twoArms(fixture: string, opened: AsyncDisposableStack): Promise<number> {
  const began = performance.now();
  const source = { dir: fixture, files: {} };
  const pristine = opened.use(openPristine({ source, sandbox: openSandbox("none"), keep: false }));
  const arms = [opened.use(pristine.open()), opened.use(pristine.open())];
  const diffs = arms.map(async (workspace) => {
    await workspace.writeText(CHANGED, "export const changed = true;\n");
    return await workspace.changes();
  });
  const changes = await Promise.all(diffs);
  const took = performance.now() - began;
  if (changes.some(({ files }) => files.length !== 1)) throw new Error("the diff is wrong");
  return took;
}

async function byTools(fixture: string, root: string): Promise<number> {
  const copies = ["first", "second"].map((name) => join(root, `${name}-${crypto.randomUUID()}`));
  const began = performance.now();
  await Promise.all(copies.map((copy) => copyAndDiff(fixture, copy)));
  return performance.now() - began;
}

async function copyAndDiff(fixture: string, copy: string): Promise<void> {
  await Bun.$`cp -a --reflink=auto ${fixture} ${copy}`.quiet();
  writeFileSync(join(copy, CHANGED), "export const changed = true;\n");
  await Bun.$`git diff --no-index --quiet ${fixture} ${copy}`.nothrow().quiet();
}

function makeFixture(directory: string): string {
  for (let index = 0; index < FILES; index += 1) {
    const folder = join(directory, String(index % 20), String(Math.floor(index / 20) % 10));
    if (index < 200) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${Math.floor(index / 200)}.ts`), `export const value${index} = ${index};\n`.repeat(40));
  }
  return directory;
}
