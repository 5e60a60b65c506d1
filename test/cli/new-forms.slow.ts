import { expect, test } from "bun:test";
import type { ScenarioFile } from "../../src/comparison/scenario/authored/scenario-file.ts";
import { abeval } from "../abeval.ts";
import { gitRepository } from "../git-repository.ts";
import { GIT } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { PROMPTFOO, SKILL_EVALS } from "../task-sets.ts";

interface Folder {
  readonly directory: string;
  readonly path: (path: string) => string;
}

const create = ({ directory }: Folder, from: string) =>
  abeval(["run", "--new", "evals", `--from=${from}`, "--sandbox", "none", "--quiet"], { cwd: directory });

const readScenario = async ({ path }: Folder, name: string) =>
  Bun.YAML.parse(await Bun.file(path(`evals/${name}.yaml`)).text()) as ScenarioFile;

const reasonsIn = async ({ path }: Folder): Promise<readonly string[]> =>
  (await Bun.file(path("evals/conversion.json")).json()).refused.map(({ reason }: { reason: string }) => reason);

test("evals of a skill have their assertions as checks and their rubric as questions", async () => {
  await using folder = await scenarioFolder({
    "set/pager/eval.yaml": SKILL_EVALS,
    "set/pager/fixtures/pager.txt": "3 pages\n",
  });
  expect((await create(folder, "set")).status).toBe(0);
  expect(await reasonsIn(folder)).toEqual([
    "asserts a pattern that RE2 does not have: a(?=b)",
    "has a field that is not known: fancy",
  ]);
  const { task, policies, rubric } = await readScenario(folder, "pager-names-the-last-page");
  expect({ task, policies, criteria: rubric.criteria }).toEqual({
    task: {
      prompt: "Which page is the last?\n",
      fixture: "pager-names-the-last-page/fixture",
      probe: {
        checks: [
          { id: "exit-success", answer_matches: "/\\S/" },
          { id: "output-contains-page-3", answer_contains: "Page 3", ignore_case: true },
          { id: "output-not-contains-sorry", answer_lacks: "sorry", ignore_case: true },
          { id: "output-matches-third-3", answer_matches: "/(?i)(third|3)/" },
          {
            id: "output-not-matches-page-4-5",
            run: `! grep -qEi -e 'page (4|5)' "$ABEVAL_EVIDENCE/answer.txt"`,
            before: "pass",
          },
          {
            id: "file-exists-notes-md",
            run: `test -n "$(find . -maxdepth 2 -type f -path './notes/*.md')"`,
            before: "fail",
          },
          {
            id: "file-contains-3",
            run: `test -n "$(find . -type f -path './*.txt' -exec grep -qF -e '3' {} \\; -print)"`,
            before: "pass",
          },
          { id: "calls-run-command", called: { tool: "run_command" } },
        ],
      },
      deliverable: { answer: true, files: ["**"] },
    },
    policies: { budget: { max_seconds: 90 } },
    criteria: [{ measure: "probe_score", weight: 2 }, { question: "How well does this hold: Says how it was counted" }],
  });
  expect(await Bun.file(folder.path("evals/pager-names-the-last-page/fixture/shop/pager.txt")).text()).toBe(
    "3 pages\n",
  );
  const { stdout } = await abeval(["run", "evals", "--sandbox", "none", "--quiet"], { cwd: folder.directory });
  expect(JSON.parse(stdout)).toMatchObject({ outcome: expect.any(String) });
});

test("prompts and tests of promptfoo become a scenario each, whose work is the answer", async () => {
  await using folder = await scenarioFolder({
    "set/translate/promptfooconfig.yaml": PROMPTFOO,
    "set/translate/polite.txt": "Please translate {{text}}.\n",
  });
  expect((await create(folder, "set/translate/promptfooconfig.yaml")).status).toBe(0);
  const refused = ["asserts what has no check here: javascript", "has a variable that is no text: text"];
  expect(await reasonsIn(folder)).toEqual([...refused, ...refused]);
  const { task, arms, rubric } = await readScenario(folder, "translate-p1-1");
  expect({ task, tools: arms[0]?.tools, criteria: rubric.criteria }).toEqual({
    task: {
      prompt: "Translate Hello to French.\n",
      probe: {
        checks: [
          { id: "not-icontains-sorry", answer_lacks: ["sorry"], ignore_case: true },
          { id: "contains-bonjour", answer_contains: ["Bonjour"], weight: 2 },
          { id: "contains-any-ami", answer_matches: "/ami|monde \\(tout\\)/" },
          { id: "starts-with-french", answer_matches: "/\\AFrench/" },
        ],
      },
      deliverable: "answer",
    },
    tools: [],
    criteria: [{ measure: "probe_score", weight: 2 }, { question: "Is it polite?" }, { measure: "answer_words" }],
  });
  expect((await readScenario(folder, "translate-p2-1")).task.prompt).toBe("Please translate Hello.\n");
});

const TEST = (sum: number) =>
  `import { expect, test } from "bun:test";\nimport { add } from "./add.mjs";\ntest("adds", () => expect(add(1, 1)).toBe(${sum}));\n`;

testNeeding(GIT)("rows of a benchmark start from their commit, with the test patch hidden", async () => {
  await using repository = await gitRepository({
    "add.mjs": "export const add = (a, b) => a - b;\n",
    "add.test.mjs": TEST(0),
  });
  const base_commit = repository.git("rev-parse", "HEAD");
  const row = {
    instance_id: "shop__add-1",
    base_commit,
    problem_statement: "Sums are wrong\n\n1 + 1 is 0.",
    patch:
      "diff --git a/add.mjs b/add.mjs\n--- a/add.mjs\n+++ b/add.mjs\n@@ -1 +1 @@\n-export const add = (a, b) => a - b;\n+export const add = (a, b) => a + b;\n",
    test_patch:
      'diff --git a/add.test.mjs b/add.test.mjs\n--- a/add.test.mjs\n+++ b/add.test.mjs\n@@ -3 +3 @@\n-test("adds", () => expect(add(1, 1)).toBe(0));\n+test("adds", () => expect(add(1, 1)).toBe(2));\n',
  };
  const rows = [
    row,
    { ...row, instance_id: "shop__add-2", base_commit: "main" },
    { ...row, instance_id: "shop__add-3", base_commit: "0".repeat(40) },
    { ...row, instance_id: "shop__add-4", patch: row.patch.replaceAll("a + b", "a * b") },
    { ...row, instance_id: "shop__add-5", test_patch: row.test_patch.replace("toBe(0)", "toBe(7)") },
    { ...row, instance_id: "shop__add-6", patch: row.patch.replaceAll("add.mjs", "../add.mjs") },
    { instance_id: "shop__add-7" },
  ];
  await Bun.write(repository.path("rows.jsonl"), `${rows.map((one) => JSON.stringify(one)).join("\n")}\n[]\n`);
  expect((await create(repository, "rows.jsonl")).status).toBe(0);
  expect(await reasonsIn(repository)).toEqual([
    "has a base_commit that is no hash: main",
    expect.stringContaining("names no commit of the repository"),
    "its own solution does not pass its checks: add-test: exit code 1, expected 0",
    expect.stringContaining("has a test patch that does not apply: add.test.mjs: hunk 1 of 1"),
    "names ../add.mjs, which must not contain `..`",
    "has no base_commit",
    "is no JSON object",
  ]);
  expect((await readScenario(repository, "shop__add-1")).task).toEqual({
    prompt: "Sums are wrong\n\n1 + 1 is 0.\n",
    fixture: { git: base_commit, repository: true },
    probe: {
      dir: "shop__add-1/probe",
      checks: [{ id: "add-test", run: "bun test add.test.mjs", before: "fail", required: true }],
    },
    reference_fix: { patch: "shop__add-1/reference.patch" },
  });
  expect(await Bun.file(repository.path("evals/shop__add-1/probe/add.test.mjs")).text()).toBe(TEST(2));
});
