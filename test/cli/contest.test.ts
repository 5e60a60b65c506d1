import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { Contest } from "../../src/domain/contest.ts";
import { abeval } from "../abeval.ts";
import { temporaryDirectory } from "../temporary.ts";
import { COIN } from "./coin.ts";

const THREE = COIN.replace("name: coin", "name: three").replace(
  "rubric:",
  "  - {id: still, model: scripted/still, script: [{say: No.}]}\nrubric:",
);

function openDirectory() {
  const directory = temporaryDirectory();
  writeFileSync(join(directory.path, "three.yaml"), THREE);
  writeFileSync(join(directory.path, "coin.yaml"), COIN);
  const run = (args: string) => abeval(["run", ...args.split(" "), "--sandbox", "none"], { cwd: directory.path });
  return { path: directory.path, run, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

test("three arms of a scenario are a contest, whose flags say how they are compared", async () => {
  using directory = openDirectory();
  const { stdout, stderr, status } = await directory.run(
    "three.yaml --best --fdr --keep-running --trials 2 --junit o.xml --markdown o.md",
  );
  expect(status, stderr).toBe(0);
  const contest: Contest = JSON.parse(stdout);
  expect([...Value.Errors(Contest, contest)]).toEqual([]);
  expect(contest).toMatchObject({
    ...{ kind: "contest", contest: { mode: "best", control: null, keep_running: true } },
    ...{ plan: { contest: { fdr: true } }, rounds: 2, gate: { tries: null, talks: null, still: null } },
  });
  expect(stderr).toContain("No arm is out: each of these 3 may be best");
  const read = (name: string) => Bun.file(join(directory.path, name)).text();
  expect(await read("o.md")).toContain("| arm | best? | rank | solved |");
  expect(await read("o.xml")).toContain('name="gate of still" time="0.000"><failure ');
});

test("--best of two arms is refused", async () => {
  using directory = openDirectory();
  const { stderr, status } = await directory.run("coin.yaml --best --trials 2");
  expect(status).toBe(2);
  expect(stderr).toContain("the scenario has two arms (tries, talks), which make no contest");
});
