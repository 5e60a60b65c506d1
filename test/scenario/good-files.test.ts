import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { judgeModelRef } from "../../src/arms/model/model-ref.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { Scenario } from "../../src/domain/scenario.ts";
import { SHORT, scenarioFolder } from "./scenario-folder.ts";

const DEFAULT_POLICIES = {
  budget: { max_turns: 40, max_tokens: 1_000_000, max_seconds: 600, max_tool_calls: 120, max_cost_usd: null },
  commands: { deny: [], allow: null, timeout_s: 60, max_output_kb: 64 },
  paths: { writable: ["**"], protected: [] },
  network: "none",
  required: [],
  severity: { protected_path: "disqualify", denied_command: "warn", required: "warn" },
} as const;
const ALL_TOOLS = ["read_file", "write_file", "edit_file", "list_files", "search_files", "run_command"];

test("a file of 15 lines is a complete scenario", async () => {
  await using folder = await scenarioFolder({ "short.yaml": SHORT });
  const loaded = await loadScenarioFile(folder.path("short.yaml"));
  const arm = { model: "openai/gpt-x", tools: ALL_TOOLS, params: {}, limits: {}, price_per_mtok: null, script: null };
  expect(SHORT.trimEnd().split("\n")).toHaveLength(15);
  expect(loaded.file).toBe(folder.path("short.yaml"));
  expect(loaded.directory).toBe(folder.directory);
  expect(loaded.definition as unknown).toEqual({
    name: "short",
    title: "short",
    description: "",
    tags: [],
    varies: null,
    task: { prompt: "Say hello.", fixture: null, setup: [], probe: null, reference_fix: null, deliverable: ["**"] },
    arms: [
      { ...arm, id: "plain", title: "plain", system_prompt: "You are brief." },
      { ...arm, id: "loud", title: "loud", system_prompt: "You shout." },
    ],
    policies: DEFAULT_POLICIES,
    rubric: {
      instructions: "",
      tie_margin: 0.05,
      criteria: [
        { id: "is-it-friendly", kind: "judged", question: "Is it friendly?", weight: 1, anchors: {} },
        { id: "is-it-short", kind: "judged", question: "Is it short?", weight: 1, anchors: {} },
        { id: "tokens", kind: "measured", measure: "tokens", weight: 1 },
      ],
      judge: { model: null, probe_visibility: "shown", max_evidence_tokens: 12_000 },
    },
  });
});

test.each(["[openai/x, mistral/y, groq/z]", '"openai/x, mistral/y, groq/z"'])(
  "a panel of judges: %s",
  async (model) => {
    await using folder = await scenarioFolder({ "short.yaml": `${SHORT}  judge: {model: ${model}}\n` });
    const { definition } = await loadScenarioFile(folder.path("short.yaml"));
    expect(judgeModelRef(definition.rubric.judge.model ?? "")).toBe("panel(groq/z+mistral/y+openai/x)");
  },
);

const FULL = `# yaml-language-server: $schema=scenario.schema.json
name: pager-last-page
title: The pager drops the last page
description: A small bug with one visible and one hidden symptom.
tags: [bugfix, typescript]
varies: [system_prompt]

task:
  prompt: |
    The last page of results is missing. Fix it; keep the public API.
  fixture:
    dir: pager-last-page/fixture
    files: {README.md: "..."}
  setup: [{run: "bun install", timeout_s: 60}]
  probe:
    dir: pager-last-page/probe
    checks:
      - {id: last-page, run: "bun test hidden.test.ts", before: fail, required: true, weight: 3, timeout_s: 60}
      - {id: api-kept, run: "bun test pager.test.ts", before: pass, output_matches: "4 pass"}
  reference_fix: {patch: pager-last-page/reference.patch}
  deliverable: ["src/**"]

arms:
  - id: plain
    title: Plain prompt
    model: anthropic/some-model
    system_prompt: You are a careful engineer.
    tools: [read_file, write_file, edit_file, list_files, search_files, run_command]
    params: {temperature: 0, max_output_tokens: 4096}
    limits: {max_turns: 30}
    price_per_mtok: {in: 3, out: 15, cached_in: 0.3}
  - id: tdd
    extends: plain
    system_prompt: Write a failing test first, then fix.
    params: {max_output_tokens: 2048}

policies:
  budget: {max_turns: 40, max_tokens: 1000000, max_seconds: 600, max_tool_calls: 120, max_cost_usd: 0.50}
  commands: {deny: ["git push*", "curl *"], timeout_s: 60, max_output_kb: 64}
  paths: {writable: ["**"], protected: ["pager.test.ts"]}
  network: none
  required: [{id: ran-tests, tool: run_command, match: "bun test*", min: 1}]
  severity: {protected_path: disqualify, denied_command: warn, required: warn}

rubric:
  instructions: optional text for the judge
  tie_margin: 0.05
  criteria:
    - {id: root-cause, question: Is the bug fixed at its root?, weight: 5, anchors: {0: not fixed, 2: symptom hidden, 4: fixed at the root}}
    - {id: style, question: Does the change read like the code around it?, weight: 2}
    - {id: small, measure: changed_lines, weight: 1}
  judge: {model: openai/some-model, probe_visibility: shown, max_evidence_tokens: 12000}
`;
const PATCH = `diff --git a/src/pager.ts b/src/pager.ts
--- a/src/pager.ts
+++ b/src/pager.ts
@@ -1 +1 @@
-export const pages = (n: number) => Math.floor(n / 10);
+export const pages = (n: number) => Math.ceil(n / 10);
`;

test("every field of a file reaches the definition", async () => {
  await using folder = await scenarioFolder({
    "pager-last-page.yaml": FULL,
    "pager-last-page/fixture/src/pager.ts": "export const pages = (n: number) => Math.floor(n / 10);\n",
    "pager-last-page/probe/hidden.test.ts": "// hidden\n",
    "pager-last-page/reference.patch": PATCH,
  });
  const { definition } = await loadScenarioFile(folder.path("pager-last-page.yaml"));
  const digest = expect.stringMatching(/^[0-9a-f]{64}$/);
  const arm = {
    model: "anthropic/some-model",
    tools: ALL_TOOLS,
    limits: { max_turns: 30 },
    price_per_mtok: { in: 3, out: 15, cached_in: 0.3 },
    script: null,
  };
  const check = { timeout_s: 60, expect_exit: 0 };
  const judged = { kind: "judged", anchors: {} };
  expect(definition as unknown).toEqual({
    name: "pager-last-page",
    title: "The pager drops the last page",
    description: "A small bug with one visible and one hidden symptom.",
    tags: ["bugfix", "typescript"],
    varies: ["system_prompt"],
    task: {
      prompt: "The last page of results is missing. Fix it; keep the public API.\n",
      fixture: { dir: "pager-last-page/fixture", files: { "README.md": "..." }, digest },
      setup: [{ run: "bun install", timeout_s: 60 }],
      probe: {
        files: { dir: "pager-last-page/probe", files: {}, digest },
        checks: [
          {
            ...check,
            id: "last-page",
            run: "bun test hidden.test.ts",
            before: "fail",
            required: true,
            weight: 3,
            output_matches: null,
          },
          {
            ...check,
            id: "api-kept",
            run: "bun test pager.test.ts",
            before: "pass",
            required: false,
            weight: 1,
            output_matches: "4 pass",
          },
        ],
      },
      reference_fix: { patch: PATCH, digest },
      deliverable: ["src/**"],
    },
    arms: [
      {
        ...arm,
        id: "plain",
        title: "Plain prompt",
        system_prompt: "You are a careful engineer.",
        params: { temperature: 0, max_output_tokens: 4096 },
      },
      {
        ...arm,
        id: "tdd",
        title: "tdd",
        system_prompt: "Write a failing test first, then fix.",
        params: { temperature: 0, max_output_tokens: 2048 },
      },
    ],
    policies: {
      ...DEFAULT_POLICIES,
      budget: { ...DEFAULT_POLICIES.budget, max_cost_usd: 0.5 },
      commands: { deny: ["git push*", "curl *"], allow: null, timeout_s: 60, max_output_kb: 64 },
      paths: { writable: ["**"], protected: ["pager.test.ts"] },
      required: [{ id: "ran-tests", tool: "run_command", match: "bun test*", min: 1 }],
    },
    rubric: {
      instructions: "optional text for the judge",
      tie_margin: 0.05,
      criteria: [
        {
          ...judged,
          id: "root-cause",
          question: "Is the bug fixed at its root?",
          weight: 5,
          anchors: { "0": "not fixed", "2": "symptom hidden", "4": "fixed at the root" },
        },
        { ...judged, id: "style", question: "Does the change read like the code around it?", weight: 2 },
        { id: "small", kind: "measured", measure: "changed_lines", weight: 1 },
      ],
      judge: { model: "openai/some-model", probe_visibility: "shown", max_evidence_tokens: 12_000 },
    },
  });
});

test("a resolved file fits the schema of what is stored", async () => {
  await using folder = await scenarioFolder({ "short.yaml": SHORT });
  const { definition } = await loadScenarioFile(folder.path("short.yaml"));
  expect([...Value.Errors(Scenario, definition)]).toEqual([]);
});

test("arms may extend an arm that stands below them, and take back what they inherit", async () => {
  const text = SHORT.replace("id: plain\n", "id: plain\n    extends: loud\n")
    .replace(
      "    extends: plain\n",
      "    model: openai/x\n    tools: [read_file]\n    price_per_mtok: {in: 1, out: 2}\n",
    )
    .replace("    system_prompt: You are brief.\n", "    price_per_mtok: null\n");
  await using folder = await scenarioFolder({ "short.yaml": text });
  const { arms } = (await loadScenarioFile(folder.path("short.yaml"))).definition;
  expect(
    arms.map(({ id, tools, price_per_mtok, system_prompt }) => [id, tools, price_per_mtok, system_prompt]),
  ).toEqual([
    ["plain", ["read_file"], null, "You shout."],
    ["loud", ["read_file"], { in: 1, out: 2, cached_in: null }, "You shout."],
  ]);
});

test("MCP servers keep the order in which they stand, merge by name where an arm extends another, and can be taken back", async () => {
  const text = SHORT.replace(
    "    system_prompt: You are brief.\n",
    "    mcp: { z: { install: x, command: [y, -a] }, b: { install: x, command: [y], tools: [t], timeout_s: 5 } }\n",
  ).replace(
    "    system_prompt: You shout.\n",
    "    mcp: { a: { install: v, command: [w] }, z: { install: u, command: [y] } }\n",
  );
  await using folder = await scenarioFolder({ "short.yaml": text });
  const { arms } = (await loadScenarioFile(folder.path("short.yaml"))).definition;
  expect(arms[0].mcp).toEqual([
    { name: "z", install: "x", command: ["y", "-a"], tools: null, timeout_s: 60 },
    { name: "b", install: "x", command: ["y"], tools: ["t"], timeout_s: 5 },
  ]);
  expect(arms[1].mcp?.map(({ name, install }) => [name, install])).toEqual([
    ["z", "u"],
    ["b", "x"],
    ["a", "v"],
  ]);
  await folder.write("short.yaml", text.replace(/ {4}mcp: { a.*\n/, "    mcp: null\n"));
  expect((await loadScenarioFile(folder.path("short.yaml"))).definition.arms[1].mcp).toBeUndefined();
});

test("a prompt file is inlined and replaces an inherited prompt", async () => {
  await using folder = await scenarioFolder({
    "short.yaml": SHORT.replace("system_prompt: You shout.", "system_prompt_file: prompts/loud.md"),
    "prompts/loud.md": "\uFEFFSHOUT\n",
  });
  const { arms } = (await loadScenarioFile(folder.path("short.yaml"))).definition;
  expect(arms.map((arm) => arm.system_prompt)).toEqual(["You are brief.", "SHOUT\n"]);
});

test("derived ids are distinct from each other and from given ones", async () => {
  const text = SHORT.replace("Is it friendly?", "Was ist schön?")
    .replace(
      "- Is it short?",
      "- {question: Was ist schon?}\n    - {id: criterion-5, measure: turns}\n    - Was ist schön?\n    - 为什么？",
    )
    .replace("    - measure: tokens", "    - measure: tokens\n    - measure: tokens")
    .replace("Say hello.", "Say hello.\n  probe: {checks: [a, {id: check-3, run: b}, c, d]}");
  await using folder = await scenarioFolder({ "short.yaml": text });
  const { rubric, task } = (await loadScenarioFile(folder.path("short.yaml"))).definition;
  expect(rubric.criteria.map(({ id }) => id)).toEqual([
    "was-ist-schon",
    "was-ist-schon-2",
    "criterion-5",
    "was-ist-schon-3",
    "criterion-5-2",
    "tokens",
    "tokens-2",
  ]);
  expect(task.probe?.checks.map(({ id }) => id)).toEqual(["check-1", "check-3", "check-3-2", "check-4"]);
});

test("a script stays with an arm that names a real model, for offline runs", async () => {
  const script = "    script: [{say: hi, calls: [{read_file: {path: a}}]}, {say: done}]\n";
  await using folder = await scenarioFolder({ "short.yaml": SHORT.replace("rubric:", `${script}rubric:`) });
  const { arms } = (await loadScenarioFile(folder.path("short.yaml"))).definition;
  expect(arms[1].script).toEqual([{ say: "hi", calls: [{ read_file: { path: "a" } }] }, { say: "done" }]);
});

test("weighted scripts are inherited whole, and an arm's own script or scripts take their place", async () => {
  const scripts = [
    { weight: 9, turns: [{ say: "Done." }] },
    { weight: 0.5, turns: [{ say: "Sorry." }] },
  ];
  const scriptsOf = async (own: string) => {
    const text = SHORT.replace("openai/gpt-x", `scripted/x\n    scripts: ${JSON.stringify(scripts)}`);
    await using folder = await scenarioFolder({ "short.yaml": text.replace("rubric:", `${own}rubric:`) });
    const { arms } = (await loadScenarioFile(folder.path("short.yaml"))).definition;
    expect(arms[0]).toMatchObject({ script: null, scripts });
    return [arms[1].script, arms[1].scripts];
  };
  expect(await scriptsOf("")).toEqual([null, scripts]);
  expect(await scriptsOf("    script: [{say: hi}]\n")).toEqual([[{ say: "hi" }], undefined]);
  const own = [{ weight: 1, turns: [{ say: "hi" }] }];
  expect(await scriptsOf(`    scripts: ${JSON.stringify(own)}\n`)).toEqual([null, own]);
  expect(await scriptsOf("    scripts: null\n    model: openai/gpt-x\n")).toEqual([null, undefined]);
});

test("values that YAML 1.1 would change stay as they are written", async () => {
  await using folder = await scenarioFolder({
    "short.yaml": SHORT.replace("Say hello.", "no").replace("name: short", "name: short\ntags: [yes, 2001-01-01]"),
  });
  const { task, tags } = (await loadScenarioFile(folder.path("short.yaml"))).definition;
  expect([task.prompt, ...tags]).toEqual(["no", "yes", "2001-01-01"]);
});

const workOf = async (task: string, tools = "") => {
  const text = SHORT.replace("  prompt: Say hello.", `  prompt: Say hello.\n${task}`).replace(
    "system_prompt: You are brief.",
    `system_prompt: You are brief.${tools}`,
  );
  await using folder = await scenarioFolder({ "short.yaml": text });
  const { deliverable, answer } = (await loadScenarioFile(folder.path("short.yaml"))).definition.task;
  return { deliverable, answer };
};

test("the work is the changed files, the answer, or both, as the file says", async () => {
  expect(await workOf("  deliverable: [answer]")).toEqual({ deliverable: ["answer"], answer: undefined });
  expect(await workOf("  deliverable: answer")).toEqual({ deliverable: [], answer: true });
  expect(await workOf("  deliverable: {answer: true, files: [notes/**]}")).toEqual({
    deliverable: ["notes/**"],
    answer: true,
  });
});

test("where no arm can write, the work is the answer unless the file says otherwise", async () => {
  const both = (tools: string) => `\n    tools: [${tools}]`;
  expect(await workOf("", both("read_file, search_files"))).toEqual({ deliverable: [], answer: true });
  expect(await workOf("", both(""))).toEqual({ deliverable: [], answer: true });
  expect(await workOf("", both("read_file, run_command"))).toEqual({ deliverable: ["**"], answer: undefined });
  expect(await workOf("  deliverable: [plan.md]", both(""))).toEqual({ deliverable: ["plan.md"], answer: undefined });
});

test("a check of the answer, the calls or the changes has every default in place", async () => {
  const checks = [
    "{answer_contains: Hello, ignore_case: true}",
    "{id: lacks, answer_lacks: [sorry, cannot], required: true}",
    "{answer_matches: /^x*/}",
    "{answer_json: true}",
    '{called: {tool: read_file, match: "*"}}',
    "{called: {tool: run_command, match: rm *, max: 0}}",
    "{changed: {paths: [src/**], max: 3}}",
  ];
  const text = SHORT.replace("  prompt: Say hello.", `  prompt: Say hello.\n  probe: {checks: [${checks.join(", ")}]}`);
  await using folder = await scenarioFolder({ "short.yaml": text });
  const { probe } = (await loadScenarioFile(folder.path("short.yaml"))).definition.task;
  const rest = { required: false, weight: 1, timeout_s: 60, expect_exit: 0, output_matches: null };
  expect(probe?.checks as unknown).toEqual([
    { ...rest, id: "check-1", before: "fail", answer_contains: ["Hello"], ignore_case: true },
    { ...rest, id: "lacks", before: "pass", answer_lacks: ["sorry", "cannot"], required: true },
    { ...rest, id: "check-3", before: "pass", answer_matches: "/^x*/" },
    { ...rest, id: "check-4", before: "fail", answer_json: true },
    { ...rest, id: "check-5", before: "fail", called: { tool: "read_file", match: null, min: 1 } },
    { ...rest, id: "check-6", before: "pass", called: { tool: "run_command", match: "rm *", min: 0, max: 0 } },
    { ...rest, id: "check-7", before: "fail", changed: { paths: ["src/**"], min: 1, max: 3 } },
  ]);
});

test("a reference answer is a text, or a file beside the scenario", async () => {
  const text = SHORT.replace("  prompt: Say hello.", "  prompt: a\n  reference_answer: {file: wanted.txt}");
  await using folder = await scenarioFolder({ "short.yaml": text, "wanted.txt": "Hello.\n" });
  const { reference_answer } = (await loadScenarioFile(folder.path("short.yaml"))).definition.task;
  expect(reference_answer).toEqual({ text: "Hello.\n", digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
});

test("a behaviour that may never happen is required no time, and any other at least once", async () => {
  const required =
    "{id: never, tool: run_command, max: 0}, {id: ever, tool: run_command}, {id: few, tool: run_command, max: 2}";
  const text = SHORT.replace("rubric:", `policies: {required: [${required}]}\nrubric:`);
  await using folder = await scenarioFolder({ "short.yaml": text });
  const { policies } = (await loadScenarioFile(folder.path("short.yaml"))).definition;
  const behaviour = { tool: "run_command", match: null };
  expect(policies.required).toEqual([
    { ...behaviour, id: "never", min: 0, max: 0 },
    { ...behaviour, id: "ever", min: 1 },
    { ...behaviour, id: "few", min: 1, max: 2 },
  ]);
});
