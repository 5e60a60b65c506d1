import { expect, test } from "bun:test";
import { displaced, hasArgument, refusedArguments } from "../../../src/arms/recipe/arguments.ts";
import type { AgentLaunch } from "../../../src/arms/recipe/recipe.ts";
import { RECIPES } from "../../../src/arms/recipe/recipes.ts";

const LAUNCH: AgentLaunch = {
  ...{ entry: "/opt/agent/x", model: "m", prompt: "Fix it.", prompt_file: "/home/agent/task.md" },
  ...{ wire: "anthropic", base: "http://127.0.0.1:4010", key: "token", args: [] },
};

const startOf = (use: string, ...args: readonly string[]) => {
  const recipe = RECIPES.find(({ name }) => name === use);
  if (recipe === undefined) throw new Error(use);
  const { command, environment } = recipe.start({ ...LAUNCH, args });
  return [...command, ...Object.values(environment)].join(" ");
};

/** By agent: what the user says, and what abeval says no longer. */
const WAYS: readonly (readonly [use: string, args: readonly string[], gone: string])[] = [
  ["claude-code", ["--permission-mode", "plan"], "--dangerously-skip-permissions"],
  ["claude-code", ["--permission-mode=plan"], "--dangerously-skip-permissions"],
  ["claude-code", ["--allowedTools", "Read"], "--dangerously-skip-permissions"],
  ["claude-code", ["--output-format", "json"], "--output-format stream-json"],
  ["codex", ["--sandbox", "read-only"], "--dangerously-bypass-approvals-and-sandbox"],
  ["codex", ["-c", "sandbox_mode=read-only"], "--dangerously-bypass-approvals-and-sandbox"],
  ["opencode", ["--agent", "plan"], '"permission":"allow"'],
  ["gemini-cli", ["--approval-mode", "plan"], "--approval-mode yolo"],
  ["gemini-cli", ["-y"], "--approval-mode yolo"],
  ["qwen-code", ["--approval-mode", "plan"], "--approval-mode yolo"],
  ["pi", ["--session-dir", "~/sessions"], "--no-session"],
  ["continue", ["--readonly"], "--auto"],
  ["copilot", ["--allow-tool", "write"], "--allow-all-tools"],
  ["cline", ["--auto-approve", "false"], "--auto-approve true"],
];

test("what a user says to an agent takes the place of what its recipe says", () => {
  for (const [use, args, gone] of WAYS) {
    expect(startOf(use)).toContain(gone);
    const text = startOf(use, ...args);
    expect(text).not.toContain(gone);
    expect(text).toContain(args.join(" ").replace("~", "/home/agent"));
  }
});

test("an argument that meets none of the recipe's own takes nothing away", () => {
  for (const { name, arguments: rules } of RECIPES) {
    const text = startOf(name, "--append-system-prompt", "Be brief.");
    expect([name, rules?.own.every(({ argv }) => text.includes(argv.join(" ")))]).toEqual([name, true]);
    expect(rules && displaced(rules, ["--append-system-prompt", "Be brief."])).toEqual([]);
  }
});

test("every agent refuses to be given another model than its arm's", () => {
  for (const { name, arguments: rules } of RECIPES) {
    const refused = rules ? refusedArguments(rules, ["-x", "--model", "other"]) : [];
    expect([name, refused]).toEqual([name, [{ index: 1, name: "--model", why: expect.stringContaining("`model`") }]]);
  }
});

test("a setting behind a flag is known by its key", () => {
  const args = ["-c", 'model_reasoning_effort="high"', "-c", "model_providers.abeval.name=x"];
  expect(hasArgument(args, "-c model")).toBe(false);
  expect(hasArgument(args, "-c model_providers.abeval")).toBe(true);
  expect(hasArgument(["-c"], "-c model")).toBe(false);
});
