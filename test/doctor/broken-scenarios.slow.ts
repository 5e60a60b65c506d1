import { describe, expect, test } from "bun:test";
import { symlink, truncate } from "node:fs/promises";
import { Sandboxes } from "../../src/arms/sandbox/sandboxes.ts";
import { diagnose } from "../../src/doors/doctor/doctor.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { temporaryDirectory } from "../temporary.ts";
import {
  type Draft,
  diagnoseFile,
  goodScenario,
  hostWithoutBubblewrap,
  never,
  ofScenario,
  servicesOver,
  type Troubles,
  troubles,
} from "./small-scenario.ts";

/** One thing is broken, and this is all that doctor says. */
interface Row {
  readonly broken: string;
  readonly change: (draft: Draft) => object;
  readonly found: Troubles;
  /** What the first check in `found` tells. */
  readonly detail: string | RegExp;
  readonly environment?: Record<string, string>;
}

const KEYS = { ANTHROPIC_API_KEY: "sk-ant-0123456789abcdef", OPENAI_API_KEY: "sk-0123456789abcdef0123" };

/** All that stands on a fixture that is ready. */
const AFTER_SETUP: Troubles = {
  "arms.files": "skip",
  "agents.node": "skip",
  "mcp.start": "skip",
  "agents.start": "skip",
  "agents.skills": "skip",
  "imports.change": "skip",
  "fixture.globs": "skip",
  "probe.before": "skip",
  "probe.discriminates": "skip",
  "reference.applies": "skip",
  "reference.passes": "skip",
  "probe.protected": "skip",
  "probe.stable": "skip",
  "programs.rehearsal": "skip",
  "budget.seconds": "skip",
};

const withTask = (draft: Draft, task: object) => ({ ...draft, task: { ...draft.task, ...task } });

const withPrompt = (draft: Draft, prompt: string) => withTask(draft, { prompt });

const withFiles = (draft: Draft, files: Record<string, string>) =>
  withTask(draft, { fixture: { files: { ...draft.task.fixture.files, ...files } } });

const withChecks = (draft: Draft, checks: readonly object[]) =>
  withTask(draft, { probe: { ...draft.task.probe, checks } });

const withArms = (draft: Draft, first: object, second: object = {}) => ({
  ...draft,
  arms: [
    { ...draft.arms[0], ...first },
    { ...draft.arms[1], ...second },
  ],
});

const withBudget = (draft: Pick<Draft, "policies">, budget: object) => ({
  ...draft,
  policies: { ...draft.policies, budget },
});

const ROWS: readonly Row[] = [
  {
    broken: "equal arms",
    change: (draft) => ({ ...withArms(draft, {}, { system_prompt: "You are brief." }), varies: [] }),
    found: { "arms.contrast": "warn" },
    detail: "both arms are set up the same (the verdict will have the flag no_contrast)",
  },
  {
    broken: "a difference that is not declared",
    change: (draft) => withArms(draft, {}, { params: { temperature: 1 } }),
    found: { "arms.varies": "fail" },
    detail: "they also differ in params",
  },
  {
    broken: "a declared difference that is none",
    change: (draft) => ({ ...draft, varies: ["system_prompt", "tools"] }),
    found: { "arms.varies": "warn" },
    detail: "they do not differ in tools",
  },
  {
    broken: "an arm's model without a key",
    change: (draft) => withArms({ ...draft, varies: ["system_prompt"] }, { model: "openai/gpt-x", script: null }),
    found: { "models.arms": "warn", "models.sandbox": "warn" },
    detail: [
      'brief: model "openai/gpt-x" needs a key: set OPENAI_API_KEY, or OPENAI_BASE_URL for a gateway that needs no key',
      'careful: model "openai/gpt-x" needs a key: set OPENAI_API_KEY, or OPENAI_BASE_URL for a gateway that needs no key',
    ].join("\n"),
  },
  {
    broken: "a model of a provider that nobody knows",
    change: (draft) => withArms({ ...draft, varies: ["system_prompt"] }, { model: "openia/gpt-x", script: null }),
    found: { "models.arms": "fail", "models.sandbox": "warn" },
    detail: /brief: model "openia\/gpt-x": unknown provider "openia"; did you mean "openai"\?/,
  },
  {
    broken: "a script that calls a tool that its arm does not have",
    change: (draft) =>
      withArms(draft, {
        tools: ["read_file", "edit_file"],
        script: [{ say: "Hm." }, { calls: [{ write_file: { path: "a", content: "" } }] }],
      }),
    found: { "arms.scripts": "warn" },
    detail: /^brief, turn 2: There is no tool write_file; did you mean|^brief, turn 2: There is no tool write_file\./,
  },
  {
    broken: "names in braces that nothing fills in",
    change: (draft) =>
      withArms(withPrompt(draft, "Greet {{ name }} and {{user.city}}. {{ }} and {one} are no names."), {
        system_prompt: "You speak {{language}}.",
      }),
    found: { inputs: "warn" },
    detail: /task\.prompt: holds \{\{name\}\}, \{\{user\.city\}\}, which stays as it is: the file has no inputs$/,
  },
  {
    broken: "one of several scripts whose call lacks a field",
    change: (draft) =>
      withArms(draft, { script: null, scripts: [{ weight: 1, turns: [{ calls: [{ read_file: {} }] }] }] }),
    found: { "arms.scripts": "warn" },
    detail: /^brief, script 1, turn 1: Wrong input for read_file: - path: /,
  },
  {
    broken: "a judge without a key",
    change: (draft) => ({ ...draft, rubric: { ...draft.rubric, judge: { model: "mistral/large" } } }),
    found: { "models.judge": "warn" },
    detail:
      'judge: model "mistral/large" needs a key: set MISTRAL_API_KEY, or MISTRAL_BASE_URL for a gateway that needs no key; or judge without a model: --judge-model builtin/evidence',
  },
  {
    broken: "a judge from the maker of one arm's model",
    change: (draft) => ({
      ...withArms(draft, { model: "openai/gpt-x", script: null }, { model: "anthropic/claude-x" }),
      varies: ["model", "system_prompt"],
      rubric: { criteria: ["Is it right?"], judge: { model: "openai/gpt-y" } },
    }),
    found: { "rubric.judge_family": "warn", "models.sandbox": "warn", "rubric.self_test": "skip" },
    detail: "openai/gpt-y comes from the maker of only one arm's model, and may favour that arm",
    environment: KEYS,
  },
  {
    broken: "a criterion without weight",
    change: (draft) => ({
      ...draft,
      rubric: { ...draft.rubric, criteria: [{ measure: "turns" }, { measure: "tokens", weight: 0 }] },
    }),
    found: { "rubric.weights": "warn" },
    detail: "tokens decides nothing, because its weight is 0",
  },
  {
    broken: "fewer tokens than the prompt has",
    change: (draft) => withBudget(draft, { max_tokens: 100 }),
    found: { "budget.tokens": "fail" },
    detail: /^brief: 100 tokens, the first turn sends about \d+, 5 turns about \d+; careful: 100 tokens, /,
  },
  {
    broken: "tokens for less than a few turns",
    change: (draft) => withBudget(draft, { max_tokens: 9_000 }),
    found: { "budget.tokens": "warn" },
    detail: /^brief: 9000 tokens, the first turn sends about \d+, 5 turns about \d+; careful: 9000 tokens, /,
  },
  {
    broken: "a cost cap below a short run",
    change: (draft) => withBudget(withArms(draft, { price_per_mtok: { in: 10, out: 100 } }), { max_cost_usd: 0.05 }),
    found: { "budget.cost": "warn" },
    detail: /^brief: cap 0.05 USD, 5 turns cost about 0\.\d+ USD; careful: cap 0.05 USD, /,
  },
  {
    broken: "a cost cap below a first turn",
    change: (draft) => withBudget(withArms(draft, { price_per_mtok: { in: 10, out: 100 } }), { max_cost_usd: 0.01 }),
    found: { "budget.cost": "fail" },
    detail: /^brief: cap 0.01 USD, but the first turn costs at least 0\.\d+ USD; careful: cap 0.01 USD, /,
  },
  {
    broken: "a time that the checks alone use up",
    change: (draft) => withBudget(draft, { max_seconds: 0.000_001 }),
    found: { "budget.seconds": "fail" },
    detail: /^brief: 0\.000001 s, the checks take \d\.\d s here; careful: 0\.000001 s, the checks take \d\.\d s here$/,
  },
  {
    broken: "a reference that changes a protected file",
    change: (draft) => ({ ...draft, policies: { paths: { protected: ["hello.*", "*.md"] } } }),
    found: { "reference.paths": "fail", "reference.passes": "fail" },
    detail: "it changes hello.txt (hello.*), which no arm may change",
  },
  {
    broken: "a reference outside what is writable",
    change: (draft) => ({ ...draft, policies: { paths: { writable: ["notes.*"] } } }),
    found: { "reference.paths": "fail" },
    detail: "it changes hello.txt (paths.writable), which no arm may change",
  },
  {
    broken: "a reference that does not count as an answer",
    change: (draft) => withTask(draft, { deliverable: ["answer.txt"] }),
    found: { "reference.deliverable": "warn" },
    detail: "hello.txt lies outside task.deliverable and would not count",
  },
  {
    broken: "a variable that looks like a key",
    change: (draft) =>
      withTask(draft, { fixture: { ...draft.task.fixture, env: { A: "gsk_abcdefghijklmnop1234", B: "x" } } }),
    found: { "fixture.variables": "fail" },
    detail: "A: holds what looks like a key",
  },
  {
    broken: "a repository in the fixture",
    change: (draft) => withFiles(draft, { "vendor/.git/HEAD": "ref: refs/heads/main\n" }),
    found: { "fixture.history": "warn" },
    detail: "vendor/.git/HEAD: the arms can read it, and it may hold the fix",
  },
  {
    broken: "a hidden file that lies in the fixture",
    change: (draft) => withFiles(draft, draft.task.probe.files),
    found: { "leak.hidden_files": "fail" },
    detail: "hidden.sh can be read in hidden.sh",
  },
  {
    broken: "a copy of a hidden file under another name",
    change: (draft) => withFiles(draft, { "check.sh": `# for me\n${draft.task.probe.files["hidden.sh"]}` }),
    found: { "leak.hidden_files": "fail" },
    detail: "hidden.sh can be read in check.sh",
  },
  {
    broken: "a prompt that names a hidden file",
    change: (draft) => withPrompt(draft, "Correct the greeting until hidden.sh is content."),
    found: { "leak.hidden_files": "warn" },
    detail: "hidden.sh is named in task.prompt",
  },
  {
    broken: "a prompt that holds a line of the reference",
    change: (draft) => withPrompt(draft, 'Make it say "Hello world, nice to see you" please.'),
    found: { "leak.reference_lines": "warn" },
    detail: "task.prompt: Hello world, nice to see you",
  },
  {
    broken: "a system prompt that holds a line of the reference",
    change: (draft) => withArms(draft, {}, { system_prompt: "Say: Hello world, nice to see you" }),
    found: { "leak.reference_lines": "warn" },
    detail: "the system prompt of careful: Hello world, nice to see you",
  },
  {
    broken: "the reference's own patch in the fixture",
    change: (draft) =>
      withFiles(draft, { "fix.patch": "-Hello wold, nice to see you\n+Hello world, nice to see you\n" }),
    found: { "leak.reference_lines": "warn" },
    detail: "fix.patch: Hello world, nice to see you",
  },
  {
    broken: "a setup step that fails",
    change: (draft) => withTask(draft, { setup: ["true", "echo no such package; exit 3"] }),
    found: { "fixture.setup": "fail", ...AFTER_SETUP },
    detail: "task.setup[1] `echo no such package; exit 3` failed (exit code 3): no such package",
  },
  {
    broken: "a glob that fits nothing",
    change: (draft) => ({ ...draft, policies: { paths: { writable: ["*.txt"], protected: ["*.md", "docs/**"] } } }),
    found: { "fixture.globs": "warn" },
    detail: "no file matches protected docs/**",
  },
  {
    broken: "a check that passes before, and should not",
    change: (draft) => withChecks(draft, [...draft.task.probe.checks, { id: "new", run: "true", before: "fail" }]),
    found: { "probe.before": "fail" },
    detail: "new should fail, but passes",
  },
  {
    broken: "a check that fails before, and should not",
    change: (draft) =>
      withChecks(draft, [{ id: "greeting", run: "sh hidden.sh || { echo not right; exit 1; }", before: "pass" }]),
    found: { "probe.before": "fail" },
    detail: "greeting should pass: exit code 1, expected 0; it printed: not right",
  },
  {
    broken: "a check that by itself changes a protected file",
    change: (draft) => ({
      ...withChecks(draft, [
        ...draft.task.probe.checks,
        { id: "log", run: "mkdir -p t/__pycache__; touch t/a t/__pycache__/b; false" },
      ]),
      policies: { paths: { protected: ["t/*"] } },
    }),
    found: { "probe.protected": "warn", "fixture.globs": "warn", "reference.passes": "fail" },
    detail: "running the checks changes t/a",
  },
  {
    broken: "a probe that an idle arm passes",
    change: (draft) => withChecks(draft, [{ run: "test -f notes.md" }]),
    found: { "probe.discriminates": "warn" },
    detail: "all pass on the untouched fixture, so an arm that does nothing passes, too",
  },
  {
    broken: "a check that the reference fails",
    change: (draft) => withChecks(draft, [...draft.task.probe.checks, { id: "done", run: "test -f done.txt" }]),
    found: { "reference.passes": "fail" },
    detail: "done: exit code 1, expected 0",
  },
];

const exactly = (detail: string | RegExp) =>
  typeof detail === "string" ? new RegExp(`^${RegExp.escape(detail)}$`) : detail;

test("doctor on a check whose program is nowhere says so, though it fails as it says", async () => {
  const draft = goodScenario();
  const { reference_fix: _, ...task } = draft.task;
  const probe = { ...task.probe, checks: [{ id: "tests", run: "absent-runner-x", before: "fail" }] };
  const report = await diagnoseFile({ ...draft, task: { ...task, probe } });
  expect(report.checks.find(({ id }) => id === "probe.before")).toMatchObject({
    ...{ status: "fail", detail: "tests cannot run: absent-runner-x is not found" },
    hint: "install it in `setup`, or show it with --sandbox-read",
  });
});

describe.each(ROWS)("doctor on $broken", ({ change, found, detail, environment = {} }) => {
  test("reports that and nothing else", async () => {
    const report = await diagnoseFile(change(goodScenario()), { environment });
    expect(troubles(report)).toEqual(found);
    const [first] = Object.keys(found);
    expect(ofScenario(report).find(({ id }) => id === first)?.detail).toMatch(exactly(detail));
    const advised = ofScenario(report).filter(({ status }) => status === "fail" || status === "warn");
    // What failed in the scenario's own words needs no advice.
    for (const { id, hint } of advised) expect([id, hint !== null]).toEqual([id, id !== "fixture.setup"]);
    expect(report.ok).toBe(!Object.values(found).includes("fail"));
  });
});

test("the untouched scenario passes everything", async () => {
  const report = await diagnoseFile(goodScenario());
  expect(troubles(report)).toEqual({});
  expect(ofScenario(report).length).toBe(48);
});

test("a file that does not parse is a check that failed, with the place, and nothing else is tried", async () => {
  const report = await diagnoseFile({ ...goodScenario(), nmae: "typo" });
  const [parse, ...others] = ofScenario(report);
  expect(parse).toEqual({
    id: "parse",
    scope: "scenario",
    status: "fail",
    title: "Scenario file",
    detail: expect.stringMatching(/small\.yaml:1:\d+ nmae: .*did you mean "name"\?/),
    hint: "fix this first; the other checks need a valid file",
    duration_ms: 0,
  });
  expect(new Set(others.map(({ status, detail }) => `${status}: ${detail}`))).toEqual(
    new Set(["skip: the scenario file is not valid"]),
  );
  expect(report).toMatchObject({ ok: false, scenario: "small", estimate: null });
});

test("a cost cap without prices fails for a model that costs something, and not for a script", async () => {
  const costFound = async (draft: Pick<Draft, "policies">) =>
    ofScenario(await diagnoseFile(withBudget(draft, { max_cost_usd: 1 }))).find(({ id }) => id === "budget.cost");
  expect(await costFound(withArms(goodScenario(), { model: "openai/gpt-x", script: null }))).toMatchObject({
    status: "fail",
    detail: expect.stringContaining("brief: openai/gpt-x has no price, which its cap (1 USD) needs"),
    hint: expect.stringContaining("--prices"),
  });
  expect(await costFound(goodScenario())).toMatchObject({
    status: "pass",
    detail: expect.stringMatching(/^brief: scripted\/.* costs nothing; careful: /),
  });
});

test("checks that need the fixture are skipped when it cannot be copied", async () => {
  await using folder = await scenarioFolder({
    "small.yaml": JSON.stringify(withTask(goodScenario(), { fixture: { dir: "here" } })),
    "here/hello.txt": "Hello wold, nice to see you\n",
  });
  await symlink("/etc", folder.path("here/out"));
  const report = await diagnose(servicesOver(folder.directory), "small", never);
  expect(troubles(report)).toEqual({
    "fixture.files": "fail",
    "fixture.history": "skip",
    "leak.hidden_files": "skip",
    "leak.reference_lines": "skip",
    "fixture.setup": "skip",
    ...AFTER_SETUP,
  });
});

test("a very large fixture is a warning", async () => {
  await using folder = await scenarioFolder({
    "small.yaml": JSON.stringify(withTask(goodScenario(), { fixture: { dir: "here" } })),
    "here/hello.txt": "Hello wold, nice to see you\n",
    "here/notes.md": "",
    "here/big.bin": "",
  });
  await truncate(folder.path("here/big.bin"), 64_000_001);
  const report = await diagnose(servicesOver(folder.directory), "small", never);
  expect(troubles(report)).toEqual({ "fixture.files": "warn" });
});

test("a patch that no longer fits is named by its hunk", async () => {
  const patch =
    "--- a/hello.txt\n+++ b/hello.txt\n@@ -1 +1 @@\n-Goodbye wold, nice to see you\n+Goodbye world, nice to see you\n";
  const report = await diagnoseFile(
    withTask(goodScenario(), { reference_fix: { patch: "fix.patch" } }),
    {},
    { "fix.patch": patch },
  );
  expect(troubles(report)).toEqual({ "reference.applies": "fail", "reference.passes": "skip" });
  expect(ofScenario(report).find(({ id }) => id === "reference.applies")?.detail).toBe(
    "hello.txt: hunk 1 of 1 (@@ -1,1 +1,1 @@) does not apply.",
  );
});

test("a check with two different results is flaky, and no other check fails for it", async () => {
  using outside = temporaryDirectory();
  const counter = `${outside.path}/count`;
  const alternating = `n=$(cat ${counter} 2>/dev/null || echo 0); echo $((n + 1)) > ${counter}; [ $((n % 2)) = 0 ]`;
  const report = await diagnoseFile(
    withChecks(goodScenario(), [
      ...goodScenario().task.probe.checks,
      { id: "moody", run: alternating, before: "fail" },
    ]),
  );
  expect(troubles(report)).toEqual({ "probe.stable": "fail" });
  expect(ofScenario(report).find(({ id }) => id === "probe.stable")?.detail).toBe(
    "it passed in one run and failed in the other: moody, on the untouched fixture; moody, with the reference",
  );
});

test("a check that takes most of its time is a warning, and so is an arm that has little time beside the checks", async () => {
  // Every look at the clock is 40 s later than the one before, so that each command takes 40 s by it.
  let ticks = 0;
  const clock = { ...systemClock, ticks: () => (ticks += 40_000) };
  const sandboxes = new Sandboxes({ clock, path: "/usr/bin:/bin", executable: process.execPath });
  const report = await diagnoseFile(withBudget(goodScenario(), { max_seconds: 120 }), { sandboxes });
  expect(troubles(report)).toEqual({ "budget.seconds": "warn" });
  expect(ofScenario(report).find(({ id }) => id === "budget.seconds")?.detail).toBe(
    [
      "brief: 120 s, the checks take 80.0 s here",
      "careful: 120 s, the checks take 80.0 s here",
      "greeting: took 40.0 s of 60 s",
      "notes: took 40.0 s of 60 s",
    ].join("; "),
  );
});

test("a model needs a sandbox, a script does not", async () => {
  const scripted = goodScenario();
  const real = withArms(goodScenario(), { model: "openai/gpt-x", script: null });
  using without = hostWithoutBubblewrap();
  const bare = { sandbox: "auto" as const, sandboxes: without.sandboxes, environment: KEYS };
  expect(troubles(await diagnoseFile(real, bare))).toEqual({ "models.sandbox": "fail" });
  expect(troubles(await diagnoseFile(scripted, bare))).toEqual({});
});

test("commands that must be sandboxed are not run without one", async () => {
  using without = hostWithoutBubblewrap();
  const report = await diagnoseFile(goodScenario(), { sandbox: "bubblewrap", sandboxes: without.sandboxes });
  const { "models.sandbox": sandbox, ...others } = troubles(report);
  expect(sandbox).toBe("fail");
  expect(new Set(Object.values(others))).toEqual(new Set(["skip"]));
  expect(Object.keys(others).length).toBe(21);
});

test("a hidden file's name within a longer word is no mention of it", async () => {
  const { task } = goodScenario();
  const probe = { files: { t: "grep -q world hello.txt\n" }, checks: [{ run: "sh t", before: "fail" }] };
  expect(troubles(await diagnoseFile(withTask(goodScenario(), { probe })))).toEqual({});
  const named = { probe, prompt: `${task.prompt} The file t will tell.` };
  expect(troubles(await diagnoseFile(withTask(goodScenario(), named)))).toEqual({ "leak.hidden_files": "warn" });
});

test("checks of parts that a scenario does not have are skipped, and it is ready", async () => {
  const { name, arms, task } = goodScenario();
  const bare = {
    name,
    arms,
    task: { prompt: task.prompt },
    rubric: { criteria: ["Is it right?"], judge: { model: "builtin/evidence" } },
  };
  const report = await diagnoseFile(bare);
  expect(report.ok).toBe(true);
  expect(
    ofScenario(report)
      .filter(({ status }) => status !== "pass")
      .map(({ id, status, detail }) => `${id} ${status}: ${detail}`),
  ).toEqual([
    "arms.varies skip: the scenario declares no `varies`",
    "reference.paths skip: the scenario has no reference_fix",
    "reference.deliverable skip: the scenario has no reference_fix",
    "leak.hidden_files skip: the scenario has no hidden checks",
    "leak.reference_lines skip: the scenario has no reference_fix",
    "probe.before skip: the scenario has no hidden checks",
    "probe.discriminates skip: the scenario has no hidden checks",
    "probe.protected skip: the scenario has no hidden checks",
    "reference.passes skip: the scenario has no reference_fix",
    "probe.stable skip: the scenario has no hidden checks",
    "budget.seconds skip: the scenario has no hidden checks",
  ]);
});

test("commands of a probe without a known solution are told: nothing shows that they can be passed", async () => {
  const { reference_fix: _, ...task } = goodScenario().task;
  const report = await diagnoseFile({ ...goodScenario(), task });
  expect(report.ok).toBe(true);
  expect(ofScenario(report).find(({ id }) => id === "reference.passes")).toMatchObject({
    status: "warn",
    detail: "nothing shows that an arm can pass the checks",
  });
});
