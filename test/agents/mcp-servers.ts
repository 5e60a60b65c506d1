import { afterAll, expect } from "bun:test";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import type { McpServer } from "../../src/domain/arm.ts";
import { runOnce, testServices } from "../harness.ts";
import { NODE, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { offered } from "../tool/mcp/offered.ts";
import { installServers, registry } from "./real-servers.ts";

const installed = installServers();
afterAll(() => installed?.[Symbol.dispose]());
const installs = installed?.path ?? "";

const testOnServers = testNeeding(registry(installed), SANDBOX, NODE);

const server = (name: string, program: string, argument: string, changes: Partial<McpServer> = {}): McpServer => ({
  ...{ name, install: "mcp-servers", tools: null, timeout_s: 20 },
  command: ["node", `/opt/mcp/${name}/node_modules/.bin/mcp-server-${program}`, argument],
  ...changes,
});

const FILESYSTEM = server("fs", "filesystem", "/workspace");
const EVERYTHING = server("any", "everything", "stdio");

testOnServers("the tools of two servers are offered at once, within what a turn should send", async () => {
  await using offer = await offered(installs, [FILESYSTEM, EVERYTHING]);
  expect(offer.names).toContain("fs__edit_file");
  expect(offer.names).toContain("any__get-sum");
  expect(offer.bytes).toBeLessThan(32_000);
});

testOnServers("the file server edits the arm's files and reaches nothing else", async () => {
  await using offer = await offered(installs, [FILESYSTEM]);
  const edits = [{ oldText: "one", newText: "two" }];
  expect(await offer.call("fs__edit_file", { path: "/workspace/a.txt", edits })).toMatchObject({ ok: true });
  expect(await offer.workspace.readText("a.txt")).toBe("two\n");
  const content = "x".repeat(5_000_000);
  expect(await offer.call("fs__write_file", { path: "/workspace/big.txt", content })).toMatchObject({ ok: true });
  // The host can write what the server has made.
  await offer.workspace.writeText("big.txt", "small");
  const read = await offer.call("fs__read_text_file", { path: "/workspace/big.txt" });
  expect(read).toMatchObject({ ok: true, text: "small" });
  const outside = await offer.call("fs__read_text_file", { path: "/etc/passwd" });
  expect({ ok: outside.ok, text: outside.text.slice(0, 13) }).toEqual({ ok: false, text: "Access denied" });
  const wrong = await offer.call("fs__edit_file", { path: 5 });
  expect({ ok: wrong.ok, text: wrong.text.includes("Invalid arguments") }).toEqual({ ok: false, text: true });
});

testOnServers(
  "images become a note, structure is left out beside text, and the environment is the sandbox's",
  async () => {
    await using offer = await offered(installs, [EVERYTHING]);
    expect((await offer.call("any__echo", { message: "hi" })).text).toBe("Echo: hi");
    expect((await offer.call("any__get-tiny-image")).text).toMatch(/\n\[image, \d kB\]\n/);
    const { text } = await offer.call("any__get-env");
    const known = ["CI", "HOME", "LANG", "OLDPWD", "PATH", "PWD", "TERM", "TMPDIR", "USER"];
    expect(Object.keys(JSON.parse(text)).filter((name) => !known.includes(name))).toEqual([]);
  },
);

testOnServers("a call that takes too long is given up, and the next one is answered", async () => {
  await using offer = await offered(installs, [server("any", "everything", "stdio", { timeout_s: 0.5 })]);
  const slow = await offer.call("any__trigger-long-running-operation", { duration: 30, steps: 1 });
  expect(slow).toMatchObject({ ok: false, text: "[timed out after 0.5 s]" });
  expect(await offer.inTime("any__get-sum", { a: 2, b: 3 })).toMatchObject({
    ok: true,
    text: "The sum of 2 and 3 is 5.",
  });
});

testOnServers("a script compares an arm with the file server with one that has our own tools", async () => {
  const edit = { path: "/workspace/a.txt", edits: [{ oldText: "one", newText: "two" }] };
  const mcp = { fs: { install: "mcp-servers", command: FILESYSTEM.command, tools: ["edit_file"] } };
  const script = [{ calls: [{ fs__edit_file: edit }] }, { say: "Done." }];
  const scenario = {
    name: "servers",
    varies: ["mcp"],
    task: {
      ...{ prompt: "Make it two.", fixture: { files: { "a.txt": "one\n" } } },
      probe: { checks: [{ id: "two", run: "grep -qx two a.txt" }] },
    },
    arms: [
      { id: "own", model: "scripted/x", script: [{ say: "Done." }] },
      { id: "foreign", extends: "own", mcp, script },
    ],
    rubric: { criteria: [{ measure: "probe_score" }], judge: { model: "builtin/evidence" } },
  };
  await using folder = await scenarioFolder({ "servers.yaml": JSON.stringify(scenario) });
  const loaded = await loadScenarioFile(folder.path("servers.yaml"));
  const { outcome } = await runOnce(testServices({}, { agents_dir: installs }), loaded);
  expect(outcome).toMatchObject({ failure: null, verdict: { outcome: "winner", winner: "foreign" } });
});
