import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BadOutcomes, readLeaderboard, readPublished } from "../../bench/outcomes.ts";
import { ROOT } from "../abeval.ts";
import { temporaryDirectory } from "../temporary.ts";
import { claimsPublished, falseClaimsOfRates, falseClaimsOfTrials } from "./tasks.ts";

const HEADER = "scenario,trial,arm,passed";

/** A table in which one arm solves every one of so many tasks, the other none. */
const clear = (tasks: number) =>
  Array.from({ length: tasks }, (_, task) => [`t${task},1,weak,0`, `t${task},1,strong,1`]).flat();

const published = (...lines: string[]) => written(lines, (path) => readPublished(path));

async function written<T>(lines: readonly string[], read: (path: string) => Promise<T>): Promise<T> {
  using directory = temporaryDirectory();
  const path = join(directory.path, "outcomes.csv");
  writeFileSync(path, [HEADER, ...lines, ""].join("\n"));
  return await read(path);
}

const MANY = { repetitions: 60, seed: 1 };

describe("outcomes of published agents", () => {
  test("are read by task and trial, also where a trial is missing", async () => {
    const { arms, outcomes } = await published("t,1,x,1", "t,2,x,0", "t,1,y,0", "u,1,x,1", "u,1,y,1");
    expect(arms).toEqual(["x", "y"]);
    expect(outcomes).toEqual([
      [
        [1, 0],
        [0, null],
      ],
      [[1, 1]],
    ]);
  });

  test("tell agents apart as they stand, and hardly ever where a coin says for each task whose they are", async () => {
    const { outcomes } = await published(...clear(20));
    expect(claimsPublished(outcomes)).toBe(true);
    expect(claimsPublished((await published(...clear(3))).outcomes)).toBe(false);
    expect(falseClaimsOfTrials(outcomes, MANY)).toBeLessThan(0.1);
    expect(falseClaimsOfRates(outcomes, { ...MANY, rounds: 2 })).toBeLessThan(0.1);
  });
});

test("a leaderboard of three agents or more is read by agent and task, without what is missing", async () => {
  const lines = ["t,1,x,1", "t,2,x,0", "t,1,y,0", "u,1,y,1", "t,2,z,1"];
  const board = await written(lines, (path) => readLeaderboard(path));
  expect([...(board.get("x") ?? [])]).toEqual([
    ["t", [1, 0]],
    ["u", []],
  ]);
  expect(board.get("z")?.get("t")).toEqual([1]);
  const ofTwo = written(lines, (path) => readLeaderboard(path, "x,y"));
  await expect(ofTwo).rejects.toThrow("has two arms; a leaderboard has three or more");
});

const WANTED = "Give a CSV table of agents with the columns scenario, trial, arm and passed, as abeval results";

/** What is in the file, and what is said of it after its name. */
const TABLES: readonly (readonly [what: string, text: string, said: string])[] = [
  ["nothing", "", ":1: has no header; its first line names the columns."],
  ["no rows", `${HEADER}\n`, ":1: has no rows."],
  ["no table", '{"task_id": 1, "reward": 0}\n', ":1:"],
  ["other columns", "task_id,trial,reward\n1,1,0\n", ":1:"],
  ["no outcome", "scenario,trial,arm\na,1,x\n", ":1:"],
  ["scores", "scenario,trial,arm,score\na,1,x,0.5\na,1,y,0.5\n", ":1: has scores, and an outcome is passed or not."],
  ["one agent", `${HEADER}\na,1,x,1\n`, ":1: has one arm, x; two are compared."],
  ["an outcome that is none", `${HEADER}\na,1,x,maybe\n`, ":2:4: passed:"],
];

test.each(TABLES)("a table with %s is refused, with the place and what to give", async (_what, text, said) => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "outcomes.csv");
  writeFileSync(path, text);
  const { message } = await readPublished(path).then(
    () => ({ message: "was read" }),
    (error: unknown) => error as Error,
  );
  expect(message).toStartWith(`--outcomes: ${path}${said}`);
  expect(message).toContain(WANTED);
});

test("what is no file is refused", async () => {
  using directory = temporaryDirectory();
  mkdirSync(join(directory.path, "folder.csv"));
  for (const [name, said] of [
    ["nothing.csv", "does not exist"],
    ["folder.csv", "is not a regular file"],
  ] as const) {
    const path = join(directory.path, name);
    await expect(readPublished(path)).rejects.toThrow(`--outcomes: ${path} ${said}. ${WANTED}`);
  }
  await expect(readPublished("")).rejects.toThrow(BadOutcomes);
});

test.each([
  [["tasks", "--outcomes", "/nothing.csv"], "--outcomes: /nothing.csv does not exist. Give a CSV table"],
  [["tasks", "--arms", "a,b"], "--arms chooses of a table: give --outcomes"],
  [["clusters", "--outcomes", "/nothing.csv"], "--outcomes is the table of the part tasks, or"],
  [["leaderboard", "tasks", "--outcomes", "/nothing.csv"], "--outcomes is the table of the part tasks, or"],
] as const)("bench %p says what is wrong and measures nothing", async (args, said) => {
  const main = join(ROOT, "bench/main.ts");
  await using child = Bun.spawn([process.execPath, main, ...args], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect([await child.exited, stdout]).toEqual([2, ""]);
  expect(stderr).toStartWith(said);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});
