#!/usr/bin/env bun
// Stands in for Claude Code where it cannot be installed: it is started as that is, tells its model of the same files, and does
// what the model calls for.
import { execSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const [, , ...args] = process.argv;
const at = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const texts = (path) => {
  if (!path || !existsSync(path)) return [];
  if (!path.startsWith(".claude") || path.includes(".", 1)) return [readFileSync(path, "utf8")];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.name}: ${readFileSync(join(entry.parentPath, entry.name), "utf8")}`);
};
const project = ".claude/settings.json";
const hooks = existsSync(project) ? (JSON.parse(readFileSync(project, "utf8")).hooks?.PostToolUse ?? []) : [];
const told = [...texts("CLAUDE.md"), ...texts(".claude"), ...texts(join(homedir(), ".claude/settings.json"))];
const system = [...told, ...texts(at("--mcp-config")), args.filter((arg) => arg !== at("-p")).join(" ")].join("\n");

const shell = (command) => {
  try {
    return execSync(command, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    return `Exit code ${error.status}\n${error.stdout}${error.stderr}`;
  }
};
const tools = {
  Read: ({ file_path }) => readFileSync(file_path, "utf8"),
  Edit: ({ file_path, old_string, new_string }) => {
    writeFileSync(file_path, readFileSync(file_path, "utf8").replace(old_string, new_string));
    return "edited";
  },
  Bash: ({ command }) => shell(command),
};

const messages = [{ role: "user", content: at("-p") }];
for (;;) {
  const response = await fetch(`${process.env.ANTHROPIC_BASE_URL}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": process.env.ANTHROPIC_API_KEY },
    body: JSON.stringify({
      ...{ model: at("--model"), max_tokens: 1_000, system, messages },
      tools: Object.keys(tools).map((name) => ({ name, input_schema: { type: "object" } })),
    }),
  });
  if (!response.ok) throw new Error(await response.text());
  const { content } = await response.json();
  messages.push({ role: "assistant", content });
  const calls = content.filter(({ type }) => type === "tool_use");
  if (calls.length === 0) break;
  const results = calls.map(({ id, name, input }) => {
    const result = { type: "tool_result", tool_use_id: id, content: tools[name](input) };
    for (const { matcher, hooks: commands } of hooks)
      if (matcher === name) for (const { command } of commands) shell(command);
    return result;
  });
  messages.push({ role: "user", content: results });
}
