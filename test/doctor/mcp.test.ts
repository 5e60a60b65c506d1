import { afterAll, expect, test } from "bun:test";
import { SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { fakeInstalls, fakeServer } from "../tool/mcp/fake-install.ts";
import { diagnoseFile, ofScenario } from "./small-scenario.ts";

const installs = fakeInstalls();
afterAll(() => installs[Symbol.dispose]());

/** A scenario whose first arm, and so its second, has the fake server. */
function withServer(behaviours: readonly string[] = [], policies: object = {}) {
  const { install, command } = fakeServer("fake", {}, behaviours);
  const script = [{ say: "Done." }];
  const arm = { id: "brief", model: "scripted/a", script, mcp: { fake: { install, command } } };
  const rubric = { criteria: [{ measure: "turns" }], judge: { model: "builtin/evidence" } };
  return {
    name: "small",
    task: { prompt: "Be brief." },
    policies,
    arms: [arm, { id: "careful", extends: "brief" }],
    rubric,
  };
}

async function found(id: string, scenario: object, changes: Parameters<typeof diagnoseFile>[1] = {}) {
  const report = await diagnoseFile(scenario, { sandbox: "auto", agents_dir: installs.path, ...changes });
  const { status, detail, hint } = ofScenario(report).find((check) => check.id === id) ?? {};
  return { status, detail, hint };
}

testNeeding(SANDBOX)("servers that start pass, with what their tools cost", async () => {
  expect(await found("mcp.start", withServer())).toEqual({
    status: "pass",
    detail: expect.stringMatching(
      /^brief: 14 tools, 1\.\d kB of descriptions; careful: 14 tools, 1\.\d kB of descriptions$/,
    ),
    hint: null,
  });
});

testNeeding(SANDBOX)("long descriptions are a warning, a server that does not start is a fault", async () => {
  expect(await found("mcp.start", withServer(["lengthy"]))).toEqual({
    status: "warn",
    detail: expect.stringContaining("every turn sends them"),
    hint: "list only the tools that the task needs in the server's `tools`",
  });
  expect(await found("mcp.start", withServer(["dead"]))).toEqual({
    status: "fail",
    detail: 'arm "brief": MCP server fake does not start: it ended (exit code 3); it said: no such database',
    hint: null,
  });
});

test("a server without a sandbox, or without its install, is a fault", async () => {
  expect(await found("mcp.start", withServer(), { sandbox: "none" })).toMatchObject({
    status: "fail",
    detail: expect.stringContaining('arm "brief" has MCP servers, which run only in bubblewrap'),
  });
  expect(await found("models.sandbox", withServer(), { sandbox: "none" })).toMatchObject({ status: "fail" });
});

testNeeding(SANDBOX)("an install that is not there is a fault", async () => {
  expect(await found("mcp.start", withServer(), { agents_dir: undefined })).toMatchObject({
    status: "fail",
    detail: expect.stringContaining("is looked for in --agents-dir <path>, which is not given"),
  });
});

test("rules that cannot see into a server are a warning", async () => {
  const policies = { commands: { deny: ["rm *"] }, paths: { writable: ["src/**"] } };
  expect(await found("mcp.rules", withServer([], policies))).toEqual({
    status: "warn",
    detail: "commands.deny, paths.writable cannot stop what a server does; changed files are compared afterwards",
    hint: "list only allowed tools in the server's `tools`",
  });
  expect((await found("mcp.rules", withServer())).status).toBe("pass");
});
