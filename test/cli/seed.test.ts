import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadScenarioFile } from "../../src/scenario/load-scenario.ts";
import { chooseScript } from "../../src/session/choose-script.ts";
import { abeval } from "../abeval.ts";
import { temporaryDirectory } from "../temporary.ts";

/** The first arm fails in half of all runs, the second always. */
const TEXT = `name: coin
task: {prompt: Say hello., probe: {checks: [{run: test -f hello.txt, required: true}]}}
arms:
  - id: tries
    model: scripted/tries
    scripts:
      - {weight: 1, turns: [{calls: [{write_file: {path: hello.txt, content: hi}}]}, {say: Done.}]}
      - {weight: 1, turns: [{say: Done.}]}
  - {id: talks, model: scripted/talks, script: [{say: I would.}]}
rubric: {criteria: [{measure: probe_score}], judge: {model: builtin/evidence}}
`;

test("--seed decides which script an arm replays, and says when there is none to choose", async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, "coin.yaml");
  writeFileSync(file, TEXT);
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
  writeFileSync(file, TEXT.replace(/ {4}scripts:(.|\n)*?(?= {2}- \{id: talks)/, "    script: [{say: Hi.}]\n"));
  expect((await abeval(["run", file, "--seed", "1"])).stderr).toContain(notice);
});
