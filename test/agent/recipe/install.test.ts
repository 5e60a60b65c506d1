import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { installOf } from "../../../src/arms/recipe/install.ts";
import type { ExternalAgent } from "../../../src/domain/external-agent.ts";
import { temporaryDirectory } from "../../temporary.ts";

let dir: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  dir = temporaryDirectory();
});
afterEach(() => dir[Symbol.dispose]());

const AGENT: ExternalAgent = {
  ...{ use: "pi", command: null, install: "pi-1", args: [], files: null, env: {}, wires: [], tools: {} },
  side_model: "keep",
};

async function write(install: string, files: Readonly<Record<string, string>>): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    const absolute = join(dir.path, install, path);
    await mkdir(dirname(absolute), { recursive: true });
    await writeFile(absolute, text);
  }
  return join(dir.path, install);
}

const PACKAGE = "node_modules/@mariozechner/pi-coding-agent";
const installed = (version: string, program: string) => ({
  [`${PACKAGE}/package.json`]: JSON.stringify({ name: "@mariozechner/pi-coding-agent", version }),
  [`${PACKAGE}/dist/cli.js`]: program,
  "node_modules/chalk/package.json": JSON.stringify({ name: "chalk", version: "5.0.0" }),
});

async function npmInstall(install: string, version = "0.73.1", program = "run()"): Promise<string> {
  const path = await write(install, installed(version, program));
  await mkdir(join(path, "node_modules/.bin"));
  await symlink("../@mariozechner/pi-coding-agent/dist/cli.js", join(path, "node_modules/.bin/pi"));
  return path;
}

test("an install has the version of its agent's package, and a program that is seen from inside", async () => {
  const path = await npmInstall("pi-1");
  expect(await installOf(dir.path, AGENT)).toEqual({
    ...{ path, entry: "/opt/agent/node_modules/.bin/pi", version: "0.73.1" },
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

test("the digest tells versions and programs apart, and no more", async () => {
  await npmInstall("one");
  await npmInstall("same");
  await npmInstall("newer", "0.74.2");
  await npmInstall("patched", "0.73.1", "run(1)");
  await write("same", { "notes.txt": "mine" });
  const digest = async (install: string) => (await installOf(dir.path, { ...AGENT, install }))?.digest;
  const one = await digest("one");
  expect(await digest("same")).toBe(one);
  expect(new Set([one, await digest("newer"), await digest("patched")]).size).toBe(3);
});

test("a command has the file of the install that it names", async () => {
  await write("ours", { "main.mjs": "run()", "package.json": '{"name":"ours","version":"1.2.3"}' });
  const ours = { ...AGENT, use: null, install: "ours" };
  expect(await installOf(dir.path, { ...ours, command: ["node", "/opt/agent/main.mjs"] })).toMatchObject({
    ...{ entry: "/opt/agent/main.mjs", version: "1.2.3" },
  });
  expect(await installOf(dir.path, { ...ours, command: ["python3", "-c", "1"] })).toMatchObject({ entry: null });
  expect(await installOf(undefined, { ...ours, install: null, command: ["python3"] })).toBeNull();
});

test("what is not there is refused with what to do", async () => {
  await write("empty", { "package.json": "{}" });
  await write("outside", {});
  await mkdir(join(dir.path, "outside/node_modules/.bin"), { recursive: true });
  await symlink(process.execPath, join(dir.path, "outside/node_modules/.bin/pi"));
  const refusal = async (agents_dir: string | undefined, agent: ExternalAgent) =>
    await installOf(agents_dir, agent).then(
      () => null,
      (error: Error) => error.message,
    );
  expect(await refusal(undefined, AGENT)).toBe(
    'its install "pi-1" is looked for in --agents-dir <path>, which is not given',
  );
  expect(await refusal(dir.path, { ...AGENT, install: "absent" })).toBe(
    'there is no install "absent" in the directory of --agents-dir: npm install --prefix <agents-dir>/absent @earendil-works/pi-coding-agent',
  );
  expect(await refusal(dir.path, { ...AGENT, install: "outside" })).toBe(
    'the install "outside" has no pi: npm install --prefix <agents-dir>/outside @earendil-works/pi-coding-agent',
  );
  expect(await refusal(dir.path, { ...AGENT, install: "empty", command: ["node", "/opt/agent/x.mjs"] })).toBe(
    'its command names /opt/agent/x.mjs, and the install "empty" has no such file',
  );
});
