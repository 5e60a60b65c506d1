import { expect } from "bun:test";
import { ENTRIES, expectEntry } from "../docs/cookbook.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { NODE, NPM, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { CLAUDE_CODES, CODEXES, PI } from "./clis.ts";
import { AGENTS_DIR, install, registry } from "./installs.ts";
import { playCli, runCli } from "./run-cli.ts";

const SERVER = { "mcp-filesystem": "@modelcontextprotocol/server-filesystem@2026.8.31" };
const CLIS = [...CLAUDE_CODES, CODEXES[1], PI];
const installed = install({ ...SERVER, ...Object.fromEntries(CLIS.map((cli) => [cli.install, cli.package])) });
const testCli = testNeeding(registry(installed), SANDBOX, NODE, NPM);

for (const entry of ENTRIES)
  testCli(`${entry.title} of the cookbook reaches Claude Code, live and from its recording`, async () => {
    await expectEntry(entry, AGENTS_DIR, (name) => name.replace("claude-", "claude-code-"));
  });

const RULE = "Run the tests before and after each change.";

for (const cli of [CODEXES[1], PI])
  testCli(`${cli.use} is told of the AGENTS.md of its arm`, async () => {
    await using server = await startFakeProvider({ reply: playCli(cli) });
    const told = async (arm: object) => {
      const { outcome } = await runCli(server, cli, { arm });
      expect(outcome.failure).toBeNull();
      return JSON.stringify(server.requests.at(-1)?.body).includes(RULE);
    };
    expect([await told({}), await told({ files: { "AGENTS.md": `${RULE}\n` } })]).toEqual([false, true]);
  });

testCli("codex takes a setting as an argument", async () => {
  await using server = await startFakeProvider({ reply: playCli(CODEXES[1]) });
  await runCli(server, CODEXES[1], { agent: { args: ["-c", 'model_reasoning_effort="high"'] } });
  expect(server.requests.at(-1)?.body).toMatchObject({ reasoning: { effort: "high" } });
});
