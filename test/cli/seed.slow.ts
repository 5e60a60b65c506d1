import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { chooseScript } from "../../src/comparison/planning/arm-source.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { abeval } from "../abeval.ts";
import { temporaryDirectory } from "../temporary.ts";
import { COIN } from "./coin.ts";

test("--seed decides which script an arm replays, and says when there is none to choose", async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, "coin.yaml");
  writeFileSync(file, COIN);
  const [tries] = (await loadScenarioFile(file)).definition.arms;
  const seeds = [1, 2, 3, 4].map(String);
  const chosen = seeds.map((seed) => chooseScript(tries, { seed, trial: 1 }));
  expect(new Set(chosen)).toEqual(new Set([0, 1]));
  const ended = await Promise.all(seeds.map((seed) => abeval(["run", file, "--seed", seed])));
  expect(ended.map(({ stdout }) => JSON.parse(stdout).winner)).toEqual(
    chosen.map((index) => (index === 0 ? "tries" : null)),
  );
  const notice = "--seed has no effect: no arm replays one of several scripts\n";
  for (const { status, stderr } of ended) {
    expect(status).toBe(0);
    expect(stderr).not.toContain(notice);
  }
  writeFileSync(file, COIN.replace(/ {4}scripts:(.|\n)*?(?= {2}- \{id: talks)/, "    script: [{say: Hi.}]\n"));
  expect((await abeval(["run", file, "--seed", "1"])).stderr).toContain(notice);
});
