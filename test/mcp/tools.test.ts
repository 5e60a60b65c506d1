import { expect, test } from "bun:test";
import Ajv2020 from "ajv/dist/2020.js";
import { linked } from "./linked.ts";

test("seven tools are listed, each with title, both schemas and honest hints", async () => {
  await using server = await linked();
  const { tools } = await server.client.listTools();
  const reads = { readOnlyHint: true, openWorldHint: false };
  const spends = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };
  expect(tools.map(({ name, title, annotations }) => [name, title, annotations])).toEqual([
    ["list_scenarios", "List scenarios", reads],
    ["get_scenario", "Get a scenario", reads],
    ["run_doctor", "Check the environment or a scenario", { ...reads, openWorldHint: true }],
    ["run_scenario", "Run a scenario", spends],
    ["list_sessions", "List sessions", reads],
    ["get_session", "Get a session", reads],
    ["rejudge", "Judge two stored arms", spends],
  ]);
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  for (const { inputSchema, outputSchema = {} } of tools)
    expect([inputSchema, outputSchema].map((schema) => typeof ajv.compile(schema))).toEqual(["function", "function"]);
});

test("a broken scenario is listed with its error, and the others as usual", async () => {
  await using server = await linked();
  const { data, text } = await server.call("list_scenarios");
  expect(data.scenarios.map((row: { name: string }) => row.name)).toEqual([
    "broken",
    "hidden",
    "other",
    "quick",
    "slow",
  ]);
  expect(text.split("\n")[0]).toStartWith("- broken: BROKEN: scenarios/broken.yaml");
  expect(text).toContain("- quick: Scenario quick [quick]; does (scripted/does) vs talks (scripted/talks)");
  expect((await server.call("list_scenarios", { tag: "quick" })).data.scenarios).toHaveLength(2);
});

test("doctor reports on the environment, and on a scenario", async () => {
  await using server = await linked();
  const environment = await server.call("run_doctor");
  expect(environment.data.checks.every((check: { scope: string }) => check.scope === "environment")).toBe(true);
  const { data, text } = await server.call("run_doctor", { scenario: "quick" });
  expect(data.scenario).toBe("quick");
  expect(data.checks.some((check: { scope: string }) => check.scope === "scenario")).toBe(true);
  expect(text).toMatch(/^quick: (not )?ready(; (\d+ failed)?(, )?(\d+ to look at)?)?\n/);
  expect(environment.text).toMatch(/^This machine: (not )?ready/);
});

test("a tool that is not there is refused by its name, and the known ones are named", async () => {
  await using server = await linked();
  expect(server.client.callTool({ name: "run_scenrio" })).rejects.toThrow(
    /^MCP error -32602: there is no tool "run_scenrio"; tools: list_scenarios, /,
  );
});

test("sessions are found by what the HTTP list filters by", async () => {
  await using server = await linked();
  for (const scenario of ["quick", "other"]) await server.call("run_scenario", { scenario, wait_seconds: 50 });
  const found = async (filter: Record<string, string>) =>
    (await server.call("list_sessions", filter)).data.sessions.map((row: { scenario: string }) => row.scenario);
  const both = ["other", "quick"];
  expect(await found({ model: "scripted/does" })).toEqual(both);
  expect(await found({ judge: "builtin/evidence" })).toEqual(both);
  expect(await found({ scenario: "quick", model: "scripted/does" })).toEqual(["quick"]);
  for (const none of [{ model: "openai/none" }, { judge: "openai/none" }, { conflict: "only" }])
    expect(await found(none)).toEqual([]);
});
