import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { settingsOver } from "../../src/arms/agent/settings.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";
import { ASKS_ONCE, PLAIN_AGENT, runAgent } from "./plain-agent.ts";

const FORCED = { security: { auth: { selectedType: "gemini-api-key" } }, models: ["ours"] };
const HOME = { "task.md": "Do it.", ".gemini/settings.json": JSON.stringify(FORCED) };
const PATH = ".gemini/settings.json";

const over = (text: string, path = PATH) => {
  const home = settingsOver({ ...HOME, [path]: JSON.stringify(FORCED) }, { dir: null, files: { [path]: text } });
  return JSON.parse(home[path] ?? "");
};

test("the user's settings stay beneath those that an agent needs", () => {
  const theirs = { security: { auth: { selectedType: "oauth", other: 1 }, folderTrust: true }, ui: { theme: "dark" } };
  const both = {
    security: { auth: { selectedType: "gemini-api-key", other: 1 }, folderTrust: true },
    ui: { theme: "dark" },
    models: ["ours"],
  };
  expect(over(JSON.stringify(theirs))).toEqual(both);
  const yaml = "security: &s\n  auth: {selectedType: oauth, other: 1}\n  folderTrust: true\nui: {theme: dark}\n";
  expect(over(yaml, ".continue/config.yaml")).toEqual(both);
  expect(over("", ".continue/config.yaml")).toEqual(FORCED);
  expect(settingsOver(HOME, { dir: null, files: { "notes.md": "mine", "task.md": "mine" } })).toEqual(HOME);
});

test("a directory of the scenario is read as inline files are, which lie over it", () => {
  using directory = temporaryDirectory();
  mkdirSync(join(directory.path, ".gemini"));
  writeFileSync(join(directory.path, PATH), '{"ui":1,"models":[]}');
  const read = (files: Readonly<Record<string, string>>) =>
    JSON.parse(settingsOver(HOME, { dir: directory.path, files })[PATH] ?? "");
  expect(read({})).toEqual({ ...FORCED, ui: 1 });
  expect(read({ [PATH]: '{"ui":2}' })).toEqual({ ...FORCED, ui: 2 });
});

const nested = (levels: number) => Array.from({ length: levels }, (_, at) => `${" ".repeat(at)}a:\n`).join("");

test("settings that cannot be read are refused with their path and what is wrong", () => {
  const refusals: readonly (readonly [text: string, path: string, says: string])[] = [
    ["{not json", PATH, "agent.files: .gemini/settings.json cannot be read: no valid JSON"],
    ["[1]", PATH, "agent.files: .gemini/settings.json must hold a map of settings"],
    ["a: [", ".continue/config.yaml", "agent.files: .continue/config.yaml is no valid YAML: "],
    ["just words", ".continue/config.yaml", "must hold a map of settings"],
    [`{"a":"${"x".repeat(2 ** 20)}"}`, PATH, "has 1048584 bytes, and settings may have 1048576"],
    ["[".repeat(4_000), ".continue/config.yaml", "config.yaml has more than 100 lists and maps in one another"],
    [`${"[".repeat(300)}${"]".repeat(300)}`, ".continue/config.yaml", "more than 100 lists and maps in one another"],
    [nested(300), ".continue/config.yaml", "cannot be read: 300 levels of nesting, at most 200 are read"],
    [
      `a: &a ${"x".repeat(200_000)}\nb: [${"*a,".repeat(90)}]`,
      ".continue/config.yaml",
      "bytes, at most 1048576 are read",
    ],
    [": : :\n".repeat(800), ".continue/config.yaml", "Nested mappings are not allowed in compact mappings (line 1)"],
    ["- a\n".repeat(5_000), ".continue/config.yaml", "config.yaml has more than 5000 keys, values and signs"],
    ["? ".repeat(2_000), ".continue/config.yaml", "agent.files: .continue/config.yaml is no valid YAML: "],
    [
      `a: |\n${" x\n".repeat(100_000)}`,
      ".continue/config.yaml",
      "has 300005 bytes, and settings in YAML may have 262144",
    ],
  ];
  for (const [text, path, says] of refusals) expect(() => over(text, path)).toThrow(says);
});

/** A program that says where pi's settings lead it, under the name of pi. */
const PRINTS = `#!/usr/bin/env bun
  ${ASKS_ONCE}
  await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", headers, body: JSON.stringify(body) });
  console.log(await Bun.file(process.env.HOME + "/.pi/agent/models.json").text(), process.argv.slice(2).join(" "));
`;

const withFile = (text: string, args: readonly string[] = []) => ({
  ...PLAIN_AGENT,
  ...{ use: "pi", command: null, install: "pi-1", wires: ["responses" as const], args: [...args] },
  files: { dir: null, files: { ".pi/agent/models.json": text }, digest: "0".repeat(64) },
});

testNeeding(SANDBOX)("an agent finds its own settings and those that lead it to its model", async () => {
  using installs = temporaryDirectory();
  const bin = join(installs.path, "pi-1/node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "pi"), PRINTS, { mode: 0o755 });
  chmodSync(installs.path, 0o755);
  const services = { agents_dir: installs.path };
  await using fake = await startFakeProvider();
  const theirs = JSON.stringify({
    providers: { mine: { api: "x" }, openai: { baseUrl: "http://else", compat: true } },
  });
  const { summary } = await runAgent(fake, { agent: withFile(theirs, ["--session-dir", "~/s"]), services });
  const [json = "", args = ""] =
    summary.agent?.stdout
      .split(/\n(?=})/)
      .join("\n")
      .split(/(?<=^}) /m) ?? [];
  expect(JSON.parse(json)).toEqual({
    providers: {
      mine: { api: "x" },
      openai: { baseUrl: expect.stringContaining("127.0.0.1"), compat: true },
      anthropic: { baseUrl: expect.stringContaining("127.0.0.1") },
    },
  });
  expect(args).toContain("--session-dir /home/agent/s");
  expect(args).not.toContain("--no-session");
  expect(fake.requests.length).toBeGreaterThan(0);
});

testNeeding(SANDBOX)("settings that cannot be read are refused before an arm is asked", async () => {
  using installs = temporaryDirectory();
  const bin = join(installs.path, "pi-1/node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "pi"), PRINTS, { mode: 0o755 });
  await using fake = await startFakeProvider();
  const failing = runAgent(fake, { agent: withFile("{"), services: { agents_dir: installs.path } });
  await expect(failing).rejects.toThrow(
    'arm "agent": agent.files: .pi/agent/models.json cannot be read: no valid JSON',
  );
  expect(fake.requests).toEqual([]);
});
