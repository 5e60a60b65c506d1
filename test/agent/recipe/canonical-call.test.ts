import { expect, test } from "bun:test";
import { claudeCode } from "../../../src/arms/recipe/agents/claude-code.ts";
import { codex } from "../../../src/arms/recipe/agents/codex.ts";
import { pi } from "../../../src/arms/recipe/agents/pi.ts";
import { canonicalCall } from "../../../src/arms/recipe/canonical-call.ts";
import type { Recipe } from "../../../src/arms/recipe/recipe.ts";
import { commandRecipe } from "../../../src/arms/recipe/recipes.ts";

const UNKNOWN = commandRecipe({ command: ["agent"], wires: [] });

const calls = (recipe: Recipe, ...made: readonly (readonly [string, unknown])[]) =>
  made.map(([name, input]) => {
    const { tool, subject, input: canonical } = canonicalCall(recipe, {}, name, input);
    return [tool, subject, canonical];
  });

const READ_EDIT_RUN = [
  ["read_file", "src/calc.js", { path: "src/calc.js" }],
  ["edit_file", "src/calc.js", { path: "src/calc.js", old: "a - b", new: "a + b" }],
  ["run_command", "npm test", { command: "npm test" }],
];

test("the same steps of different agents are the same calls", () => {
  const file = "/workspace/src/calc.js";
  expect(
    calls(
      claudeCode,
      ["Read", { file_path: file, limit: 20 }],
      ["Edit", { file_path: file, old_string: "a - b", new_string: "a + b", replace_all: false }],
      ["Bash", { command: "npm test", description: "Run the tests" }],
    ),
  ).toEqual(READ_EDIT_RUN);
  expect(
    calls(
      pi,
      ["read", { path: "src/calc.js" }],
      ["edit", { path: "./src/calc.js", edits: [{ oldText: "a - b", newText: "a + b" }] }],
      ["bash", { command: "npm test", timeout: 30 }],
    ),
  ).toEqual(READ_EDIT_RUN);
  expect(
    calls(
      UNKNOWN,
      ["open_file", { filepath: file }],
      ["change", { filepath: file, old: "a - b", new: "a + b" }],
      ["terminal", { script: "npm test" }],
    ),
  ).toEqual(READ_EDIT_RUN);
});

test("argument vectors of Codex are what its shell runs", () => {
  expect(
    calls(
      codex,
      ["exec_command", { cmd: "ls -l" }],
      ["shell", { command: ["bash", "-lc", "git status && ls"] }],
      ["shell", { command: ["grep", "-r", "two words", "."] }],
      ["local_shell", { action: { type: "exec", command: ["npm", "test"] } }],
      ["write_stdin", { session_id: 1, chars: "rm -rf x\n" }],
    ).map(([, subject]) => subject),
  ).toEqual(["ls -l", "git status && ls", "grep -r 'two words' .", "npm test", "rm -rf x\n"]);
});

test("a patch is an edit of the file that it names first", () => {
  const patch = "*** Begin Patch\n*** Update File: src/calc.js\n@@\n-a\n+b\n*** End Patch";
  expect(calls(codex, ["apply_patch", patch], ["apply_patch", { input: patch }])).toEqual([
    ["edit_file", "src/calc.js", { path: "src/calc.js", patch }],
    ["edit_file", "src/calc.js", { path: "src/calc.js", patch }],
  ]);
});

test("a command beside another one is read, too: nobody knows which the agent runs", () => {
  expect(calls(UNKNOWN, ["run", { command: "ls", cmd: "rm a", action: { command: ["sh", "-c", "pwd"] } }])).toEqual([
    ["run_command", "ls\nrm a\npwd", { command: "ls\nrm a\npwd" }],
  ]);
});

test("several commands and several files are one call", () => {
  expect(
    calls(
      UNKNOWN,
      ["run_many", { commands: ["npm test", { command: "git diff" }] }],
      ["read_files", { files: [{ path: "/workspace/a.js" }, "b.js"] }],
    ),
  ).toEqual([
    ["run_command", "npm test\ngit diff", { command: "npm test\ngit diff" }],
    ["read_file", "a.js", { path: "a.js", paths: ["a.js", "b.js"] }],
  ]);
});

test("the field `command` of one editor for everything is no shell command", () => {
  const [view, create] = [
    canonicalCall(UNKNOWN, {}, "str_replace_editor", { command: "view", path: "/workspace/a.js" }),
    canonicalCall(UNKNOWN, {}, "str_replace_editor", { command: "create", path: "a.js", file_text: "1" }),
  ];
  expect(view).toEqual({
    ...{ tool: "read_file", effect: "read", subject: "a.js" },
    ...{ input: { path: "a.js" }, checked: true },
  });
  expect(create.input).toEqual({ path: "a.js", content: "1" });
});

test("plans and helpers change nothing, and asking a shell for its output runs nothing", () => {
  expect(canonicalCall(claudeCode, {}, "TodoWrite", { todos: [] })).toMatchObject({
    ...{ tool: "TodoWrite", effect: "read", checked: true },
  });
  expect(canonicalCall(codex, {}, "write_stdin", { session_id: 1, chars: "" })).toMatchObject({
    ...{ tool: "write_stdin", effect: "read", checked: true },
  });
});

test("a call that nobody knows is said to be unchecked", () => {
  const unknown: readonly (readonly [string, unknown])[] = [
    ["mcp__db__query", { sql: "drop table users" }],
    ["web_search", { query: "how to add" }],
    ["delete", { path: "a.js" }],
    ["__proto__", {}],
    ["constructor", null],
    ["write_file", {}],
    ["run_command", { nothing: 1 }],
  ];
  expect(unknown.map(([name, input]) => canonicalCall(UNKNOWN, {}, name, input).checked)).toEqual(
    unknown.map(() => false),
  );
});

test("a scenario says what the tools of its own agent are", () => {
  const tools = { sh: "run_command", put: "write_file" } as const;
  expect(canonicalCall(UNKNOWN, tools, "sh", { line: "npm test" })).toMatchObject({ subject: "npm test" });
  expect(canonicalCall(UNKNOWN, tools, "put", { path: "a", content: "b" })).toMatchObject({
    ...{ tool: "write_file", effect: "write", subject: "a" },
  });
});
