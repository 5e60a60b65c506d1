import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryDirectory } from "../temporary.ts";
import { diagnoseFile, ofScenario } from "./small-scenario.ts";

const installs = temporaryDirectory();
afterAll(() => installs[Symbol.dispose]());
// The user of a sandbox must be able to walk there.
chmodSync(installs.path, 0o755);

function write(path: string, text: string): void {
  mkdirSync(dirname(join(installs.path, path)), { recursive: true });
  writeFileSync(join(installs.path, path), text);
}

function install(name: string, version: string): void {
  const place = `${name}/node_modules`;
  write(
    `${place}/@anthropic-ai/claude-code/package.json`,
    `{"name":"@anthropic-ai/claude-code","version":"${version}"}`,
  );
  write(`${place}/.bin/claude`, "#!/bin/sh\n");
}
install("claude-tried", "2.1.330");
install("claude-new", "9.0.0");

const scenario = (agent: object, model = "anthropic/claude-x") => ({
  name: "small",
  task: { prompt: "Be brief." },
  arms: [
    { id: "brief", model, agent },
    { id: "careful", model: "scripted/a", script: [{ say: "Done." }] },
  ],
  rubric: { criteria: [{ measure: "turns" }], judge: { model: "builtin/evidence" } },
});

async function found(id: string, file: object, changes: Parameters<typeof diagnoseFile>[1] = {}) {
  const report = await diagnoseFile(file, { agents_dir: installs.path, ...changes });
  const { status, detail } = ofScenario(report).find((check) => check.id === id) ?? {};
  return { status, detail };
}

const claude = (name: string, more: object = {}) => ({ use: "claude-code", install: name, ...more });

test("an install that is there passes with its version, and one that was never tried is a warning", async () => {
  expect(await found("agents.dir", scenario(claude("claude-tried")))).toEqual({
    ...{ status: "pass", detail: "brief: claude-tried 2.1.330" },
  });
  expect(await found("agents.version", scenario(claude("claude-tried")))).toMatchObject({ status: "pass" });
  expect(await found("agents.version", scenario(claude("claude-new")))).toEqual({
    status: "warn",
    detail: "brief: Claude Code 9.0.0, while abeval was tested with 2.1.197 and 2.1.330",
  });
  expect(await found("agents.dir", scenario(claude("absent")))).toEqual({
    status: "fail",
    detail: expect.stringContaining(
      'brief: there is no install "absent" in the directory of --agents-dir: npm install',
    ),
  });
});

test("what keeps an agent from its start is said once, by the check that looks for it", async () => {
  const skipped = (title: string) => ({ status: "skip" as const, detail: `needs "${title}", which failed` });
  expect(await found("agents.start", scenario(claude("absent")))).toEqual(skipped("External agents are installed"));
  expect(await found("agents.start", scenario(claude("claude-tried"), "openai/gpt-x"))).toEqual(
    skipped("External agents can reach their models"),
  );
});

test("a provider that does not speak an agent's wire is found before a run", async () => {
  expect(await found("agents.wire", scenario(claude("claude-tried"), "openai/gpt-x"))).toEqual({
    status: "fail",
    detail: expect.stringContaining("brief: Claude Code speaks Anthropic's messages, and openai does not"),
  });
  expect(await found("agents.wire", scenario(claude("claude-tried")))).toEqual({
    ...{ status: "pass", detail: "brief: anthropic/claude-x by anthropic" },
  });
});

test("keys and logins among an agent's files, variables and arguments are named and not shown", async () => {
  const key = `sk-ant-${"a1".repeat(12)}`;
  const secrets = {
    ...{ files: { files: { ".claude/.credentials.json": "{}", "settings.json": `{"k":"${key}"}` } } },
    ...{ env: { SETTING: key }, args: [`--with=${key}`] },
  };
  expect(await found("agents.home", scenario(claude("claude-tried", secrets)))).toEqual({
    status: "fail",
    detail: [
      "brief: .claude/.credentials.json is the login of a person",
      "brief: settings.json holds what looks like a key",
      "brief: variable SETTING holds what looks like a key",
      "brief: an argument holds what looks like a key",
    ].join("\n"),
  });
  expect(await found("agents.home", scenario(claude("claude-tried")))).toMatchObject({ status: "pass" });
});

test("an agent that is no script needs no Node", async () => {
  expect(await found("agents.node", scenario(claude("claude-tried")))).toEqual({
    ...{ status: "pass", detail: "no agent needs Node" },
  });
});
