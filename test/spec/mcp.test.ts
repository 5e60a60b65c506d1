import { expect } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { connectProgram } from "../mcp/client.ts";
import { mcpFolder } from "../mcp/folder.ts";
import { temporaryDirectory } from "../temporary.ts";
import { verifies } from "./verifies.ts";

const names = (rows: readonly { name: string }[]) => rows.map(({ name }) => name);

verifies(["mcp:tools"], "a client finds seven tools and can call each", async () => {
  using folder = mcpFolder();
  await using server = await connectProgram(folder.args);
  expect(names((await server.client.listTools()).tools)).toEqual([
    "list_scenarios",
    "get_scenario",
    "run_doctor",
    "run_scenario",
    "list_sessions",
    "get_session",
    "rejudge",
  ]);
  const { data } = await server.call("run_scenario", { scenario: "quick", wait_seconds: 50 });
  const { session_id } = data;
  const [arm_a, arm_b] = ["does", "talks"].map((arm_id) => ({ session_id, arm_id }));
  const answers = [
    await server.call("list_scenarios"),
    await server.call("get_scenario", { name: "quick" }),
    await server.call("run_doctor"),
    await server.call("list_sessions"),
    await server.call("get_session", { session_id }),
    await server.call("rejudge", { arm_a, arm_b }),
  ];
  expect(answers.map(({ isError }) => isError)).toEqual(answers.map(() => false));
});

verifies(["mcp:scenarios-dir"], "scenarios come from ./scenarios unless a directory is named", async () => {
  using folder = mcpFolder();
  await using bundled = await connectProgram(["mcp"]);
  await using named = await connectProgram(["mcp", "--scenarios-dir", folder.scenarios]);
  expect(names((await bundled.call("list_scenarios")).data.scenarios)).toContain("pager-last-page");
  expect(names((await named.call("list_scenarios")).data.scenarios)).toEqual([
    "broken",
    "hidden",
    "other",
    "quick",
    "slow",
  ]);
});

verifies(["mcp:state-dir"], "a live tool without it names the flag; with it sessions are kept in it", async () => {
  using directory = temporaryDirectory();
  await using without = await connectProgram(["mcp"]);
  const refused = await without.call("run_scenario", { scenario: "pager-last-page" });
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("abeval mcp --state-dir <path>") });
  expect((await without.call("get_scenario", { name: "pager-last-page" })).isError).toBe(false);
  using folder = mcpFolder();
  const state = join(directory.path, "state");
  await using server = await connectProgram(["mcp", "--scenarios-dir", folder.scenarios, "--state-dir", state]);
  const { data } = await server.call("run_scenario", { scenario: "quick", wait_seconds: 50 });
  expect(existsSync(join(state, "sessions.db"))).toBe(true);
  expect(readdirSync(join(state, "sessions"))).toEqual([`${data.session_id}.json`]);
});
