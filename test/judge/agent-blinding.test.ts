import { expect, test } from "bun:test";
import { canonicalCall } from "../../src/arms/recipe/canonical-call.ts";
import type { Recipe } from "../../src/arms/recipe/recipe.ts";
import { RECIPES } from "../../src/arms/recipe/recipes.ts";
import type { JudgedArm } from "../../src/comparison/judge/judge.ts";
import { pairViews } from "../../src/comparison/judge/view/evidence-view.ts";
import type { Decision } from "../../src/domain/decision.ts";
import type { Changes } from "../../src/domain/evidence.ts";
import { buildArm, buildCase } from "./build-case.ts";

type Made = readonly [tool: string, input: unknown, output: string];

/** How each agent reads a file, changes it, and runs a command that fails. */
const STEPS: Readonly<Record<string, readonly Made[]>> = {
  "claude-code": [
    ["Read", { file_path: "/workspace/calc.js", limit: 9 }, "     1→a - b\n<system-reminder>Beware.</system-reminder>"],
    ["Edit", { file_path: "/workspace/calc.js", old_string: "a - b", new_string: "a + b" }, "The file was updated."],
    ["Bash", { command: "npm test", description: "Run" }, "Exit code 1\n1 test failed"],
  ],
  codex: [
    ["read_file", { file_path: "/workspace/calc.js" }, "L1: a - b"],
    ["edit", { path: "calc.js", old: "a - b", new: "a + b" }, "ok"],
    [
      ...(["exec_command", { cmd: "npm test", yield_time_ms: 1000 }] as const),
      "Chunk ID: 1a\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\n1 test failed",
    ],
  ],
  opencode: [
    ["read", { filePath: "/workspace/calc.js" }, "<file>\n00001| a - b\n</file>"],
    ["edit", { filePath: "/workspace/calc.js", oldString: "a - b", newString: "a + b" }, ""],
    ["bash", { command: "npm test", description: "Runs tests" }, "1 test failed"],
  ],
  "gemini-cli": [
    ["read_file", { file_path: "/workspace/calc.js" }, "a - b"],
    ["replace", { file_path: "/workspace/calc.js", old_string: "a - b", new_string: "a + b" }, "Modified."],
    ["run_shell_command", { command: "npm test" }, "Output: 1 test failed\nExit Code: 1\nProcess Group PGID: 7"],
  ],
  "qwen-code": [
    ["read_file", { absolute_path: "/workspace/calc.js" }, "a - b"],
    ["edit", { file_path: "/workspace/calc.js", old_string: "a - b", new_string: "a + b" }, "Modified."],
    [
      ...(["run_shell_command", { command: "npm test", is_background: false }] as const),
      "Command: npm test\nDirectory: (root)\nOutput: 1 test failed\nError: (none)\nExit Code: 1\nSignal: 0",
    ],
  ],
  pi: [
    ["read", { path: "calc.js" }, "a - b"],
    ["edit", { path: "calc.js", edits: [{ oldText: "a - b", newText: "a + b" }] }, ""],
    ["bash", { command: "npm test" }, "1 test failed\n\nCommand exited with code 1"],
  ],
  continue: [
    ["Read", { filepath: "/workspace/calc.js" }, "a - b"],
    ["Edit", { file_path: "/workspace/calc.js", old_string: "a - b", new_string: "a + b" }, ""],
    ["Bash", { command: "npm test" }, "1 test failed"],
  ],
  copilot: [
    ["view", { path: "/workspace/calc.js" }, "1. a - b"],
    ["edit", { path: "/workspace/calc.js", old_str: "a - b", new_str: "a + b" }, ""],
    ["bash", { command: "npm test", mode: "sync" }, "1 test failed\n<exited with exit code 1>"],
  ],
  cline: [
    ["read_files", { files: [{ path: "/workspace/calc.js" }] }, "a - b"],
    ["editor", { path: "/workspace/calc.js", old_text: "a - b", new_text: "a + b" }, ""],
    ["run_commands", { commands: ["npm test"] }, "1 test failed"],
  ],
};

const turn = (seq: number, detail: { text?: string; thread?: number; side?: true }): Decision => ({
  ...{ seq, kind: "model_turn", summary: "s", tokens_in: 1, tokens_out: 1, latency_ms: 1 },
  detail: { stop_reason: "calls", tools: ["secret_tool_name"], cached_tokens: 0, text: "", thread: 1, ...detail },
});

function call(recipe: Recipe, seq: number, [name, input, output]: Made): Decision {
  const canonical = canonicalCall(recipe, {}, name, input);
  const unwrapped = recipe.unwrap(name, output);
  return {
    ...{ seq, kind: "tool_call", summary: name, tokens_in: 0, tokens_out: 0, latency_ms: 1 },
    detail: {
      tool: canonical.tool,
      ...(canonical.effect && { effect: canonical.effect }),
      input: JSON.stringify(canonical.input),
      ...{ ok: false, exit_code: 1, output: unwrapped.output, bytes: 1, thread: 1, own_tool: name },
    },
  };
}

const CHANGES: Changes = {
  files: [
    { path: "calc.js", status: "modified", added: 1, removed: 1, binary: false, before: "a - b", after: "a + b" },
  ],
  patch: "--- a/calc.js\n+++ b/calc.js\n@@ -1 +1 @@\n-a - b\n+a + b\n",
  digest: "c".repeat(64),
  truncated: false,
};

function armOf(recipe: Recipe, own: readonly Decision[] = [], changes = CHANGES): JudgedArm {
  const agent = {
    recipe: recipe.name,
    install: `${recipe.name}-1`,
    version: "1",
    digest: null,
    exit_code: 0,
    stdout: "",
    stderr: "",
  };
  const steps = (STEPS[recipe.name] ?? []).map((made, index) => call(recipe, index + 2, made));
  const said = `I am ${recipe.title}. I, ${recipe.identities[0]}, fixed it.`;
  const decisions = [turn(1, { text: "I look." }), ...steps, ...own];
  return buildArm("same", { agent, changes, model: "openai/gpt-x", final_answer: said }, decisions);
}

async function viewOf(arm: JudgedArm) {
  const kase = { ...buildCase(), a: arm, b: arm };
  const view = (await pairViews(kase, new AbortController().signal)).a;
  return { view, text: view.sections.flatMap(({ lines }) => lines.map(({ text }) => text)).join("\n") };
}

test("the same steps of any two agents look the same to a judge", async () => {
  const texts = await Promise.all(
    RECIPES.map(async (recipe) => {
      const { text } = await viewOf(armOf(recipe));
      return text.replace(/^.*fixed it\.$/m, "");
    }),
  );
  expect(texts[0]).toContain('input {"path":"calc.js","old":"a - b","new":"a + b"}');
  expect(texts[0]).toContain("run_command, exit 1");
  expect(texts[0]).toContain("1 test failed");
  expect(new Set(texts).size).toBe(1);
});

test("no view of any agent holds its name, its tools, its wrappings or its files", async () => {
  for (const recipe of RECIPES) {
    const ownTools = Object.entries(recipe.tools).flatMap(([name, kind]) => (kind === "own" ? [name] : []));
    const own: Decision[] = [
      call(recipe, 5, [ownTools[0] ?? "unknown_tool", { secret_field: "Plan A" }, "done"]),
      call(recipe, 6, ["mcp__secret__tool", { secret_field: 1 }, "done"]),
      turn(7, { text: "A title for this", side: true }),
      turn(8, { text: `I am ${recipe.title}`, thread: 2 }),
      call(recipe, 9, [
        STEPS[recipe.name]?.[2]?.[0] ?? "",
        { command: "ls ~/.config/x /home/agent/.pi/agent" },
        "/opt/agent/bin",
      ]),
    ];
    const { text } = await viewOf(armOf(recipe, own));
    const words = [
      ...recipe.identities.filter((name) => name !== "pi" && name !== "Continue"),
      ...(STEPS[recipe.name] ?? [])
        .map(([name]) => name)
        .filter((name) => !/^(?:read|edit|view|bash)$|_file$/i.test(name)),
      ...["secret", "A title", "Chunk ID", "system-reminder", "PGID", "Directory:", "exited with", "→"],
      ...[
        "file_path",
        "filePath",
        "old_string",
        "oldText",
        "/home/agent",
        "/opt/agent",
        "own_tool",
        ownTools[0] ?? "secret",
      ],
    ];
    expect([recipe.name, words.filter((word) => text.includes(word))]).toEqual([recipe.name, []]);
    expect(text).not.toMatch(/I am (?:pi|Continue)\b/i);
    expect(text).toContain("(helper) says");
    expect(text).toContain("a tool of its own");
  }
});

test("notes that an agent adds for itself are counted and not shown, and the verdict says so", async () => {
  const [recipe] = RECIPES as readonly [Recipe];
  const note = {
    ...{ path: "CLAUDE.md", status: "added", added: 1, removed: 0 },
    ...{ binary: false, before: null, after: "hi" },
  };
  const changes = {
    ...CHANGES,
    files: [...CHANGES.files, note as Changes["files"][number]],
    patch: `${CHANGES.patch}--- /dev/null\n+++ b/CLAUDE.md\n@@ -0,0 +1 @@\n+I always use Claude.\n`,
  };
  const { view, text } = await viewOf(armOf(recipe, [], changes));
  expect(view.identity_in_changes).toBe(true);
  expect(text).toContain("added 1 notes file of the agent for itself, not shown");
  expect(text).not.toMatch(/claude/i);

  const signed = { ...CHANGES, patch: CHANGES.patch.replace("+a + b", "+a + b // Co-Authored-By: X") };
  expect((await viewOf(armOf(recipe, [], signed))).view.identity_in_changes).toBe(true);
  expect((await viewOf(armOf(recipe))).view.identity_in_changes).toBe(false);

  const asked = { ...buildCase(), task: { ...buildCase().task, prompt: "Write CLAUDE.md." } };
  const arm = armOf(recipe, [], changes);
  const views = await pairViews({ ...asked, a: arm, b: arm }, new AbortController().signal);
  expect(JSON.stringify(views.a)).toContain("CLAUDE.md");
});

test("what a script or a model at home is called after is no name in a text, a family is", async () => {
  const final_answer = "The root-cause was an off-by-one; root-cause-2 agrees, says qwen.";
  const said = async (model: string) => {
    const { a } = await pairViews(buildCase({ a: { model, final_answer } }), new AbortController().signal);
    return a.sections.find(({ name }) => name === "answer")?.lines.map(({ text }) => text);
  };
  const [mark, rest] = ["[identity removed]", "agrees, says [identity removed]."];
  expect(await said("scripted/root-cause")).toEqual([`The root-cause was an off-by-one; root-cause-2 ${rest}`]);
  expect(await said("ollama/root-cause")).toEqual([`The root-cause was an off-by-one; root-cause-2 ${rest}`]);
  expect(await said("ollama/root-cause-2")).toEqual([`The root-cause was an off-by-one; ${mark} ${rest}`]);
  expect((await said("acme/root-cause"))?.[0]).toStartWith(`The ${mark} was an off-by-one`);
});
