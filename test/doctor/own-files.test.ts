import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { diagnoseFile } from "../../src/doors/doctor/doctor.ts";
import { gitRepository } from "../git-repository.ts";
import { GIT } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { goodScenario, never, ofScenario, servicesOver } from "./small-scenario.ts";

const HELLO = { "hello.txt": "Hello wold, nice to see you\n", "notes.md": "keep me\n" };
const CHECKS = [{ id: "greets", run: "sh t.sh", before: "fail" }];

function scenario(task: object): string {
  const { probe: _, ...rest } = goodScenario().task;
  const rubric = { ...goodScenario().rubric, criteria: [{ measure: "turns" }] };
  return JSON.stringify({ ...goodScenario(), rubric, task: { ...rest, reference_fix: undefined, ...task } });
}

/** What is told of hidden files, the status first. */
async function leaksOf(directory: string): Promise<string[]> {
  const report = await diagnoseFile(
    servicesOver(directory),
    { path: join(directory, "small.yaml"), environment: [] },
    never,
  );
  const found = ofScenario(report).find(({ id }) => id === "leak.hidden_files");
  return [`${found?.status}`, ...(found?.detail?.split("\n") ?? [])];
}

describeNeeding(GIT)("a fixture from git", () => {
  async function leaksIn(files: Record<string, string>, directory: string) {
    await using repository = await gitRepository(files);
    return await leaksOf(join(repository.directory, directory));
  }

  test("that contains the scenario file is a leak", async () => {
    const inline = scenario({ fixture: { git: "main" }, probe: { checks: ["grep -q world hello.txt"] } });
    expect(await leaksIn({ ...HELLO, "hand/small.yaml": inline }, "hand")).toEqual([
      "fail",
      "the scenario file can be read in hand/small.yaml",
    ]);
  });

  test("that contains the scenario file is a leak even without checks", async () => {
    const bare = scenario({ fixture: { git: "main" } });
    expect(await leaksIn({ ...HELLO, "small.yaml": bare }, "")).toEqual([
      "fail",
      "the scenario file can be read in small.yaml",
    ]);
  });

  test.each([
    ["one short line", "true\n"],
    ["nothing", ""],
    ["more than is compared", "x".repeat(1_200_000)],
  ])("that has a hidden file of %s is told by its path", async (_what, text) => {
    const file = scenario({ fixture: { git: "main" }, probe: { dir: "h/probe", checks: CHECKS } });
    expect(await leaksIn({ ...HELLO, "hand/small.yaml": file, "hand/h/probe/t.sh": text }, "hand")).toEqual([
      "fail",
      "the scenario file can be read in hand/small.yaml",
      "t.sh can be read in hand/h/probe/t.sh",
    ]);
  });

  test("that starts at a directory around the scenario names the leak by its path there", async () => {
    const file = scenario({ fixture: { git: "main", path: "hand" }, probe: { dir: "h/probe", checks: CHECKS } });
    const files = { "hand/hello.txt": "Hello wold\n", "hand/small.yaml": file, "hand/h/probe/t.sh": "true\n" };
    expect(await leaksIn(files, "hand")).toEqual([
      "fail",
      "the scenario file can be read in small.yaml",
      "t.sh can be read in h/probe/t.sh",
    ]);
  });

  test("that starts at a directory beside the scenario is no leak, whatever its files are called", async () => {
    const probe = { dir: "small/probe", checks: CHECKS };
    const file = scenario({ fixture: { git: "main", path: "app" }, probe });
    const app = { "app/hello.txt": "Hello wold\n", "app/small.yaml": "greeting: hello\n", "app/tests/t.sh": "true\n" };
    const files = { ...app, "evals/small.yaml": file, "evals/small/probe/tests/t.sh": "true\n" };
    expect(await leaksIn(files, "evals")).toEqual(["pass", expect.stringMatching(/^searched \d+ texts for 1 file$/)]);
  });
});

describe("a directory as fixture", () => {
  test("that contains the hidden files is a leak", async () => {
    const file = scenario({ fixture: { dir: "app" }, probe: { dir: "app/probe", checks: CHECKS } });
    const app = { "app/hello.txt": "Hello wold\n", "app/probe/t.sh": "true\n" };
    await using folder = await scenarioFolder({ ...app, "small.yaml": file });
    expect(await leaksOf(folder.directory)).toEqual(["fail", "t.sh can be read in probe/t.sh"]);
  });

  test("that lies beside the hidden files is no leak", async () => {
    const file = scenario({ fixture: { dir: "app" }, probe: { dir: "probe", checks: CHECKS } });
    const app = { "app/hello.txt": "Hello wold\n", "app/t.sh": "old\n" };
    await using folder = await scenarioFolder({ ...app, "small.yaml": file, "probe/t.sh": "true\n" });
    expect(await leaksOf(folder.directory)).toEqual(["pass", expect.stringMatching(/^searched \d+ texts for 1 file$/)]);
  });
});

test.each([
  ["its own files", { files: { "tips/check.sh": "true\n" } }, "t.sh can be read in tips/check.sh"],
  [
    "its skills, among other lines",
    { files: { ".claude/skills/x/SKILL.md": `# Skill\n${"grep --quiet 'Hello world, dear' hello.txt"}\n` } },
    "long.sh can be read in .claude/skills/x/SKILL.md",
  ],
])("hidden checks that an arm is given in %s are a leak, and the scenario is not ready", async (_, given, told) => {
  const files = { "t.sh": "true\n", "long.sh": "grep --quiet 'Hello world, dear' hello.txt\n" };
  const task = { fixture: { files: HELLO }, probe: { files, checks: CHECKS } };
  const document = JSON.parse(scenario(task));
  const [first, ...others] = document.arms;
  const arms = [{ ...first, ...given }, ...others];
  await using folder = await scenarioFolder({ "small.yaml": JSON.stringify({ ...document, arms }) });
  expect(await leaksOf(folder.directory)).toEqual(["fail", `${told} of brief`, `${told} of careful`]);
});

test("a reference of short lines is found where it stands in full", async () => {
  const patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-1\n+2\n";
  const task = { fixture: { dir: "app" }, reference_fix: { patch: "app/fix.patch" } };
  await using folder = await scenarioFolder({
    "small.yaml": scenario(task),
    "app/a.txt": "1\n",
    "app/fix.patch": patch,
  });
  const report = await diagnoseFile(
    servicesOver(folder.directory),
    { path: folder.path("small.yaml"), environment: [] },
    never,
  );
  expect(ofScenario(report).find(({ id }) => id === "leak.reference_lines")).toMatchObject({
    status: "warn",
    detail: "fix.patch: the whole reference",
  });
});
