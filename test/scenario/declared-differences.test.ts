import { describe, expect, test } from "bun:test";
import { applyModelOverride, differences } from "../../src/comparison/scenario/declared-differences.ts";
import type { Arm } from "../../src/domain/arm.ts";
import type { Scenario } from "../../src/domain/scenario.ts";
import { SHORT, scenarioIn } from "./scenario-folder.ts";

const ARM: Arm = {
  id: "a",
  title: "A",
  model: "openai/x",
  system_prompt: "",
  tools: ["read_file", "edit_file"],
  params: {},
  limits: {},
  price_per_mtok: { in: 1, out: 2, cached_in: null },
  script: null,
};

describe("arms differ in", () => {
  test.each<[string, Partial<Arm>, string[]]>([
    ["nothing by id, title and script", { id: "b", title: "B", script: [{ say: "x" }] }, []],
    ["nothing by the order of tools", { tools: ["edit_file", "read_file"] }, []],
    ["the system prompt", { system_prompt: "x" }, ["system_prompt"]],
    ["the model alone, whose prices follow it", { model: "openai/y", price_per_mtok: null }, ["model"]],
    ["MCP servers", { mcp: [{ name: "fs", install: "x", command: ["y"], tools: null, timeout_s: 60 }] }, ["mcp"]],
    ["prices of one model", { price_per_mtok: null }, ["price_per_mtok"]],
    [
      "several fields",
      { tools: [], params: { temperature: 1 }, limits: { max_turns: 1 } },
      ["tools", "params", "limits"],
    ],
    ["a scripted against a real model", { model: "scripted/x" }, ["model"]],
  ])("%s", (_, changes, expected) => {
    expect(differences(ARM, { ...ARM, ...changes })).toEqual(expected as never[]);
  });

  test("nothing when only the names after scripted/ differ", () => {
    expect(differences({ ...ARM, model: "scripted/a" }, { ...ARM, model: "Scripted/b" })).toEqual([]);
  });
});

describe("a model override", () => {
  const definition = async (text: string): Promise<Scenario> =>
    scenarioIn({ text, file: "short.yaml", stem: "short", directory: "/nowhere" });
  const PRICED = SHORT.replace("gpt-x", "gpt-x\n    price_per_mtok: {in: 1, out: 2}");

  test("replaces the models and removes the prices of both arms, and nothing else", async () => {
    const before = await definition(PRICED);
    const [first, second] = before.arms;
    const scenario = applyModelOverride(before, "groq/y/z");
    const changes = { model: "groq/y/z", price_per_mtok: null };
    expect(scenario).toEqual({
      ...before,
      arms: [
        { ...first, ...changes },
        { ...second, ...changes },
      ],
    });
    expect(first.model).toBe("openai/gpt-x");
  });
});
