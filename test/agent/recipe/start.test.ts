import { expect, test } from "bun:test";
import type { AgentLaunch } from "../../../src/arms/recipe/recipe.ts";
import { RECIPES, recipeOf, wireOf, wireProblem } from "../../../src/arms/recipe/recipes.ts";
import type { ExternalAgent } from "../../../src/domain/external-agent.ts";

const LAUNCH: AgentLaunch = {
  ...{ entry: "/opt/agent/node_modules/.bin/agent", model: "some-model-1", prompt: "Fix `add`; $HOME stays" },
  ...{ prompt_file: "/home/agent/task.md", wire: "chat", base: "http://127.0.0.1:4010", key: "token-1" },
  args: ["--config", "~/mine.json"],
};

const COMMAND: ExternalAgent = {
  ...{ use: null, command: ["node", "/opt/agent/main.mjs", "{prompt}", "--url={base:openai}", "{model}"] },
  ...{
    install: "ours",
    args: [],
    files: null,
    env: {},
    wires: ["anthropic", "chat", "responses", "gemini"],
    tools: {},
    side_model: "keep",
  },
};

const everyStart = (launch: AgentLaunch) =>
  RECIPES.flatMap((recipe) =>
    recipe.wires.map((wire) => ({ name: `${recipe.name} ${wire}`, ...recipe.start({ ...launch, wire }) })),
  );

test("every agent gets prompt, arguments and model whole, and no shell reads them", () => {
  for (const { name, command, environment, home } of everyStart(LAUNCH)) {
    const given = [...command, JSON.stringify([environment, home])];
    const whole = {
      name,
      prompt: command.includes(LAUNCH.prompt),
      model: given.some((text) => text.includes(LAUNCH.model)),
    };
    expect(whole).toEqual({ name, prompt: true, model: true });
    expect(command).toContain("/home/agent/mine.json");
  }
});

test("every agent is sent to the proxy and has no other address", () => {
  for (const { command, environment, home } of everyStart(LAUNCH)) {
    const text = JSON.stringify([command, environment, home]);
    expect(text).toContain("http://127.0.0.1:4010/");
    expect(text.match(/https?:\/\/[^/"\\]+/g)?.filter((url) => url !== "http://127.0.0.1:4010")).toEqual([]);
  }
});

test("a prompt that is too long for an argument is a file at home", () => {
  const prompt = "x".repeat(120_000);
  for (const { command, home } of everyStart({ ...LAUNCH, prompt })) {
    expect(home["task.md"]).toBe(prompt);
    expect(Math.max(...command.map(({ length }) => length))).toBeLessThan(1_000);
  }
});

test("a prompt that begins with a hyphen is no option", () => {
  for (const { command } of everyStart({ ...LAUNCH, prompt: "- fix a\n- fix b" }))
    expect(command.filter((word) => word.endsWith("- fix a\n- fix b"))).toEqual(["\n- fix a\n- fix b"]);
});

test("names of recipes, programs and packages are distinct", () => {
  const names = RECIPES.flatMap(({ name, packages, programs }) => [
    name,
    ...packages.map((name) => `npm ${name}`),
    ...programs.map((p) => `bin ${p}`),
  ]);
  expect(names.length).toBe(new Set(names).size);
});

test("a command of the scenario's own is given what it asks for, once", () => {
  const { command, environment, home } = recipeOf(COMMAND).start({ ...LAUNCH, prompt: "say {model}" });
  expect<readonly string[]>(command).toEqual([
    ...["node", "/opt/agent/main.mjs", "say {model}", "--url=http://127.0.0.1:4010/openai/v1"],
    ...["some-model-1", ...LAUNCH.args],
  ]);
  expect(environment).toEqual({
    ...{ ANTHROPIC_BASE_URL: "http://127.0.0.1:4010/anthropic", ANTHROPIC_API_KEY: "token-1" },
    ...{ OPENAI_BASE_URL: "http://127.0.0.1:4010/openai/v1", OPENAI_API_KEY: "token-1" },
    ...{ GOOGLE_GEMINI_BASE_URL: "http://127.0.0.1:4010/google", GEMINI_API_KEY: "token-1" },
  });
  expect(home).toEqual({});
  const filed = recipeOf({ ...COMMAND, command: ["run", "{prompt_file}"] }).start(LAUNCH);
  expect([filed.command[1], filed.home]).toEqual(["/home/agent/task.md", { "task.md": LAUNCH.prompt }]);
});

test("an agent speaks the first of its wires that the model's provider speaks", () => {
  const agent = (use: string | null) => ({ ...COMMAND, use, wires: [...recipeOf({ ...COMMAND, use }).wires] });
  expect(wireOf(agent("claude-code"), "anthropic/claude-x")).toBe("anthropic");
  expect(wireOf(agent("pi"), "openai/gpt-x")).toBe("responses");
  expect(wireOf({ ...COMMAND, wires: ["chat", "anthropic"] }, "Anthropic/claude-x")).toBe("anthropic");
  expect(wireOf(agent(null), "google/gemini-x")).toBe("chat");
  expect(wireOf(agent("codex"), "mistral/x")).toBeNull();
  expect(wireProblem(agent("codex"), "openai/gpt-x")).toBeNull();
  expect(wireProblem(agent("codex"), "scripted/x")).toBe(
    "scripted/x replays a script, and an external agent asks a real model",
  );
  expect(wireProblem(agent("claude-code"), "openai/gpt-x")).toBe(
    "Claude Code speaks Anthropic's messages, and openai does not; name a model as anthropic/<model>, and set " +
      "ANTHROPIC_BASE_URL to a gateway that translates when the model is another provider's",
  );
});
