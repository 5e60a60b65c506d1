import { expect, test } from "bun:test";
import type { AgentLaunch } from "../../../src/arms/recipe/recipe.ts";
import { RECIPES } from "../../../src/arms/recipe/recipes.ts";
import { loadScenarioFile } from "../../../src/comparison/scenario/load-scenario.ts";
import { failureOf, scenarioFolder } from "../../scenario/scenario-folder.ts";

const LAUNCH: AgentLaunch = {
  ...{ entry: "/opt/agent/x", model: "m", prompt: "Fix it.", prompt_file: "/home/agent/task.md" },
  ...{ wire: "chat", base: "http://127.0.0.1:4010", key: "token-1", args: [] },
};
const SERVER = { name: "fs", command: ["node", "/opt/mcp/fs/main.mjs", 'a "b"'], timeout_s: 20 };

const startOf = (name: string, launch: AgentLaunch) => {
  const recipe = RECIPES.find((one) => one.name === name);
  const [wire = "chat"] = recipe?.wires ?? [];
  return recipe?.start({ ...launch, wire });
};

const ARGS = ["/opt/mcp/fs/main.mjs", 'a "b"'];

test.each([
  ["claude-code", { mcpServers: { fs: { command: "node", args: ARGS } } }, ".abeval/mcp.json"],
  ["gemini-cli", { fs: { command: "node", args: ARGS, timeout: 20_000, trust: true } }, ".gemini/settings.json"],
  ["qwen-code", { fs: { command: "node", args: ARGS, timeout: 20_000, trust: true } }, ".qwen/settings.json"],
])("%s finds MCP servers in a file of its home", (name, expected, path) => {
  const start = startOf(name, { ...LAUNCH, servers: [SERVER] });
  const settings: { mcpServers?: object } = JSON.parse(start?.home[path] ?? "null");
  expect(path === ".abeval/mcp.json" ? settings : settings.mcpServers).toEqual(expected);
  if (name !== "claude-code") return;
  expect(start?.command.join(" ")).toContain("--mcp-config /home/agent/.abeval/mcp.json");
  expect(start?.environment["MCP_TOOL_TIMEOUT"]).toBe("20000");
});

test("Codex finds them in arguments, and opencode in a variable", () => {
  const codex = startOf("codex", { ...LAUNCH, servers: [SERVER] });
  expect(codex?.command).toContain(
    'mcp_servers.fs={command="node",args=["/opt/mcp/fs/main.mjs","a \\"b\\""],tool_timeout_sec=20}',
  );
  const opencode = startOf("opencode", { ...LAUNCH, servers: [SERVER] });
  expect(JSON.parse(opencode?.environment["OPENCODE_CONFIG_CONTENT"] ?? "null").mcp).toEqual({
    fs: { type: "local", command: SERVER.command, enabled: true },
  });
});

test("without servers no agent is told of any", () => {
  for (const { name } of RECIPES) expect(JSON.stringify(startOf(name, LAUNCH))).not.toMatch(/mcp/i);
});

const refusalOf = async (agent: unknown, server: object = {}) => {
  const arms = [
    { id: "a", model: "openai/x", agent },
    { id: "b", extends: "a", mcp: { fs: { install: "fs", command: ["node"], ...server } } },
  ];
  const scenario = { name: "s", task: { prompt: "Do it." }, arms, rubric: { criteria: [{ measure: "tokens" }] } };
  await using folder = await scenarioFolder({ "s.yaml": JSON.stringify(scenario) });
  return (await failureOf(loadScenarioFile(folder.path("s.yaml")))).message.replace(/^.*arms/s, "arms");
};

test("servers are refused beside an agent that abeval cannot tell of them, and so is a choice among their tools", async () => {
  const known = "only for claude-code, codex, opencode, gemini-cli, qwen-code; lay its settings into `agent.files`";
  expect(await refusalOf("pi@pi")).toBe(`arms[1].mcp: is not known for pi, ${known}`);
  expect(await refusalOf({ command: ["x", "{prompt}"] })).toBe(`arms[1].mcp: is not known for a \`command\`, ${known}`);
  expect(await refusalOf("codex@codex", { tools: ["read"] })).toBe(
    "arms[1].mcp.fs.tools: an agent is offered every tool of a server; leave it out",
  );
});
