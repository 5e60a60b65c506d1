import { expect, test } from "bun:test";
import { join } from "node:path";
import { ROOT } from "../abeval.ts";
import { temporaryDirectory } from "../temporary.ts";
import { connectProgram } from "./client.ts";

const PAGE = await Bun.file(join(ROOT, "docs/mcp.md")).text();

/** `→ tool arguments`, then what the server says. */
const STEPS = [...PAGE.matchAll(/^→ `(\w+)` `(.*)`\n\n```text\n([\s\S]*?)\n```$/gm)].map(
  ([, name = "", args = "", text = ""]) => ({
    name,
    args,
    text,
  }),
);

const SESSION_ID = /session-[a-z-]+-\d{8}T\d{9}Z/g;

/** What differs from one run to the next. */
const steady = (text: string) =>
  text
    .replace(/\d+ ms/g, "some ms")
    .replace(/\d+ tokens/g, "some tokens")
    .replace(/verdict-\d{8}T\d{9}Z-[0-9a-f]{8}/g, "a verdict")
    .replace(SESSION_ID, "a session");

test("the conversation in docs/mcp.md is what happens", async () => {
  using directory = temporaryDirectory();
  await using server = await connectProgram(["mcp", "--state-dir", join(directory.path, "state")]);
  const ids = new Map<string, string>();
  const answers: string[] = [];
  for (const { name, args, text } of STEPS) {
    const current = args.replace(SESSION_ID, (id) => ids.get(id) ?? id);
    const answer = await server.call(name, JSON.parse(current));
    const [printed] = text.match(SESSION_ID) ?? [];
    if (name === "run_scenario" && printed) ids.set(printed, answer.data.session_id);
    answers.push(steady(answer.text));
  }
  expect(STEPS.length).toBeGreaterThan(4);
  expect(answers).toEqual(STEPS.map(({ text }) => steady(text)));
}, 60_000);

test("the configurations in docs/mcp.md can be read", () => {
  const blocks = [...PAGE.matchAll(/^```(json|toml)\n([\s\S]*?)\n```$/gm)];
  const parsed = blocks.map(([, kind, text = ""]) => (kind === "json" ? JSON.parse(text) : Bun.TOML.parse(text)));
  const servers = parsed.map(({ mcpServers, servers, mcp_servers }) => (mcpServers ?? servers ?? mcp_servers).abeval);
  expect(servers.map(({ args }) => args[0])).toEqual(["mcp", "mcp", "mcp"]);
});
