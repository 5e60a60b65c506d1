import { expect, test } from "bun:test";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { failureOf, SHORT, scenarioFolder } from "./scenario-folder.ts";

test("one wrong indentation is told at its place, and not once for each line that follows", async () => {
  await using folder = await scenarioFolder({ "short.yaml": ` ${SHORT}` });
  const { message } = await failureOf(loadScenarioFile(folder.path("short.yaml")));
  const lines = message.split("\n");
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/short\.yaml:2:\d+ not valid YAML/);
  expect(lines[2]).toMatch(/\(and \d+ more, which may follow from the first\)$/);
});

test("of many syntax errors three are shown, and the rest is counted", async () => {
  await using folder = await scenarioFolder({ "short.yaml": "a: ]\n".repeat(9) });
  const { message } = await failureOf(loadScenarioFile(folder.path("short.yaml")));
  const lines = message.split("\n");
  expect(lines).toHaveLength(3);
  expect(lines[0]).toContain("short.yaml:1:");
  expect(lines[2]).toMatch(/\(and \d+ more, which may follow from the first\)$/);
});
