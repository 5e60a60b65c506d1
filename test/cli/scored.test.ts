import { expect, test } from "bun:test";
import { abeval } from "../abeval.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";

const SCORED = `name: scored
inputs:
  - {id: one, asked: a, short: "0.2", long: "0.9"}
  - {id: two, asked: b, short: "0.4", long: "0.5"}
task:
  prompt: "{{asked}}"
  deliverable: answer
  probe:
    checks:
      - id: quality
        run: 'echo graded by length; cat "$ABEVAL_EVIDENCE/answer.txt"'
        score: true
        weight: 3
      - {id: good, run: 'cat "$ABEVAL_EVIDENCE/answer.txt"', score: true, min_score: 0.45}
arms:
  - {id: short, model: scripted/short, tools: [], system_prompt: x, script: [{say: "{{short}}"}]}
  - {id: long, extends: short, model: scripted/long, system_prompt: y, script: [{say: "{{long}}"}]}
rubric: {criteria: [{measure: probe_score}], judge: {model: builtin/evidence}}
`;

test("a series of checks with numbers measures scores, and shows their means by check", async () => {
  await using files = await scenarioFolder({ "scored.yaml": SCORED });
  const run = ["run", "scored.yaml", "--sandbox", "none", "--markdown", "scored.md"];
  const { status, stdout, stderr } = await abeval(run, { cwd: files.directory });
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  const series = JSON.parse(stdout);
  expect(series.plan.measure).toBe("score");
  expect(series.result).toMatchObject({ measure: "score", candidate: "long", ahead: 2, behind: 0 });
  expect(series.result.difference).toBeCloseTo(0.4);
  expect(series.arms.b.mean_score).toBeCloseTo(0.7);
  const [one] = series.scenarios;
  expect(one.checks[1]).toEqual({
    ...{ id: "quality", a: null, b: null },
    scores: { a: { mean: 0.2, trials: 1 }, b: { mean: 0.9, trials: 1 } },
  });
  expect(one.checks[0]).toMatchObject({ id: "good", a: { passed: 0, trials: 1 }, b: { passed: 1, trials: 1 } });
  expect(stderr).toContain("check quality mean 0.7 in 2 trials");
});

test("one run shows each number, and why", async () => {
  await using files = await scenarioFolder({ "scored.yaml": SCORED });
  const run = ["run", "scored.yaml", "--input", "two", "--sandbox", "none", "--markdown", "scored.md"];
  const { stdout, stderr } = await abeval(run, { cwd: files.directory });
  const verdict = JSON.parse(stdout);
  expect(verdict.facts.a.probe.checks).toEqual([
    { id: "quality", status: "scored", score: 0.4 },
    { id: "good", status: "fail", score: 0.4 },
  ]);
  expect(verdict.facts.b.probe).toMatchObject({ score: 0.5, passed: 1, total: 1 });
  expect(stderr).toContain("scored 0.4: quality (graded by length)");
  expect(await Bun.file(files.path("scored.md")).text()).toContain("quality 0.4: graded by length");
});
