import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { abeval } from "../abeval.ts";
import { LINUX, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";

const TEXT = `name: served
task: {prompt: Say hello.}
arms:
  - {id: a, model: scripted/a, script: [{say: Hi.}], mcp: {fs: {install: nowhere, command: [node]}}}
  - {id: b, model: scripted/b, script: [{say: Hi.}]}
rubric: {criteria: [{measure: turns}], judge: {model: builtin/evidence}}
`;

/** What the run of a scenario with an MCP server is refused with. */
async function refusal(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  using directory = temporaryDirectory();
  const file = join(directory.path, "served.yaml");
  writeFileSync(file, TEXT);
  const { status, stdout, stderr } = await abeval(["run", file, ...args], { env });
  return { status, stdout, said: stderr };
}

/** Exists on every Linux, and nothing secret is in it. */
const PLACE = "/var/cache";

testNeeding(LINUX)("--agents-dir, or ABEVAL_AGENTS_DIR in its place, is where installs are looked for", async () => {
  const missing = { status: 2, stdout: "", said: expect.stringContaining('there is no install "nowhere"') };
  expect(await refusal(["--agents-dir", PLACE])).toEqual(missing);
  expect(await refusal([], { ABEVAL_AGENTS_DIR: PLACE })).toEqual(missing);
  expect((await refusal([])).said).toContain("is looked for in --agents-dir <path>, which is not given");
});

testNeeding(LINUX, SANDBOX)("--check looks there, too", async () => {
  const { status, stdout } = await refusal(["--check", "--agents-dir", PLACE]);
  expect({ status, stdout }).toEqual({ status: 2, stdout: expect.stringContaining('there is no install "nowhere"') });
});

test.each([
  ["/etc", "it holds the system's secrets (/etc)"],
  ["/", "it holds everybody's temporary files"],
  ["/nowhere/at/all", "there is no such directory"],
])("--agents-dir %s is refused: %s", async (path, why) => {
  const { status, said } = await refusal(["--agents-dir", path]);
  expect({ status, said }).toEqual({ status: 2, said: expect.stringContaining(`--agents-dir ${path}: ${why}`) });
});
