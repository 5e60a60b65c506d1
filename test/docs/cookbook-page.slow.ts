import { afterAll, expect, test } from "bun:test";
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { NODE, NPM, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";
import { ENTRIES, expectEntry, TOLD } from "./cookbook.ts";

/** Installs as the cookbook names them, with a small program in the place of Claude Code. */
const installs = temporaryDirectory();
afterAll(() => installs[Symbol.dispose]());

for (const version of ["2.1.197", "2.1.330"])
  place(`claude-${version}/node_modules/.bin/claude`, "stand-in-agent.mjs", {
    name: "@anthropic-ai/claude-code",
    version,
  });
place("mcp-filesystem/node_modules/.bin/mcp-server-filesystem", "../tool/mcp/fake-server.mjs");

/** Lies where the sandbox's user can read it. */
function place(path: string, source: string, package_json?: { readonly name: string; readonly version: string }): void {
  const target = join(installs.path, path);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(join(import.meta.dir, source), target);
  if (package_json) {
    const at = join(dirname(dirname(target)), package_json.name);
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, "package.json"), JSON.stringify(package_json));
  }
  Bun.spawnSync(["chmod", "-R", "a+rX", installs.path]);
  chmodSync(target, 0o755);
}

test("the cookbook has an entry for each thing that teams vary", () => {
  expect(new Set(ENTRIES.map(({ title }) => title))).toEqual(new Set(Object.keys(TOLD)));
});

for (const entry of ENTRIES)
  testNeeding(
    SANDBOX,
    NODE,
    NPM,
  )(`${entry.title} of the cookbook reaches the one arm, live and from its recording`, async () => {
    await expectEntry(entry, installs.path, (name) => name);
  });
