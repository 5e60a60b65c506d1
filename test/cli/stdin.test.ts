import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Series } from "../../src/domain/series.ts";
import type { Verdict } from "../../src/domain/verdict.ts";
import { PROGRAM } from "../abeval.ts";
import { temporaryDirectory } from "../temporary.ts";

const arm = (id: string, say: string) => ({
  ...{ id, model: `scripted/${id}`, tools: [], system_prompt_file: `${id}.md` },
  script: [{ say }],
});

const SCENARIO = {
  name: "piped",
  task: { prompt: "Say it.", deliverable: "answer", probe: { checks: [{ answer_contains: "yes", required: true }] } },
  arms: [arm("a", "no"), arm("b", "yes")],
  rubric: { criteria: [{ measure: "probe_score" }], judge: { model: "builtin/evidence" } },
};

/** What a script pipes into the program, in a directory with the files that the scenario names. */
async function piped(args: readonly string[], input: string) {
  using directory = temporaryDirectory();
  for (const id of ["a", "b"]) writeFileSync(join(directory.path, `${id}.md`), `You are ${id}.`);
  writeFileSync(join(directory.path, "piped.json"), JSON.stringify(SCENARIO));
  writeFileSync(join(directory.path, "package.json"), "{}");
  const child = Bun.spawn([...PROGRAM, ...args], {
    cwd: directory.path,
    env: { PATH: process.env["PATH"] ?? "", HOME: "/dev/null/home" },
    stdin: Buffer.from(input),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { status: await child.exited, stdout, stderr };
}

const JSON_TEXT = JSON.stringify(SCENARIO, null, 2);

test("a scenario on standard input runs, with the files of the working directory", async () => {
  const { status, stdout } = await piped(["run", "-"], JSON_TEXT);
  const { scenario, winner } = JSON.parse(stdout) as Verdict;
  expect([status, scenario, winner]).toEqual([0, "piped", "b"]);
});

test("a scenario on standard input is run several times, and the command that goes on says that it must be saved", async () => {
  const { status, stdout, stderr } = await piped(["run", "-", "--trials", "2", "--state-dir", "state"], JSON_TEXT);
  const { trials } = JSON.parse(stdout) as Series;
  expect([status, trials.length]).toEqual([0, 2]);
  expect(stderr).not.toContain("abeval run - ");
});

test("a scenario on standard input is checked", async () => {
  const { status, stdout } = await piped(["check", "-"], JSON_TEXT);
  expect([status, stdout.trimEnd().split("\n").at(-1)]).toEqual([0, expect.stringMatching(/^-: ready/)]);
});

test.each([
  ["", /standard input: is empty/],
  ["\xff\xfe", /standard input/],
  ["name: x\n", /standard input:1:1 task: missing/],
  [JSON_TEXT.replace('"name": "piped",', ""), /name: missing/],
  [`${JSON_TEXT}${" ".repeat(300_000)}`, /has more than 256 KiB/],
])("what cannot be a scenario is refused: %#", async (text, why) => {
  const { status, stderr } = await piped(["run", "-"], text);
  expect([status, stderr]).toEqual([2, expect.stringMatching(why)]);
});

test("a .json file is a scenario where it is named, and none where a directory is", async () => {
  const { status, stdout } = await piped(["run", "piped.json"], "");
  expect([status, (JSON.parse(stdout) as Verdict).winner]).toEqual([0, "b"]);
  const directory = await piped(["run", "."], "");
  expect([directory.status, directory.stderr]).toEqual([
    2,
    expect.stringContaining("the directory has no scenario files"),
  ]);
});
