import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import manifest from "../../package.json";
import { archiveName, nativeTarget } from "../../release/targets.ts";
import { ROOT } from "../abeval.ts";
import { type Need, NPM } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";
import { ARCHIVE, makeRelease, provideRelease, ran } from "./given-release.ts";

/** Runs a command in a network namespace with loopback alone. All else is this machine's. */
const ISOLATED = ["bwrap", "--unshare-net", "--dev-bind", "/", "/", "--"];
const ISOLATION: Need = { what: "a network namespace (apt-get install bubblewrap)", met: canIsolate() };
const testArchive = testNeeding(ARCHIVE);
const NAME = archiveName(manifest.version, nativeTarget());
const SUITE = ["suite-csv-line", "suite-due-date", "suite-receipt"];
const SCENARIOS = ["extract-rate-limit", "file-server-traversal", "log-triage", "pager-last-page", ...SUITE];
/** Most that the executable may have of the size of an empty compiled program. */
const MAX_RATIO = 1.25;

const directory = temporaryDirectory();
const release = join(directory.path, "release");
const home = join(directory.path, "empty");
const program = join(home, "abeval");

setDefaultTimeout(180_000);
afterAll(() => directory[Symbol.dispose]());
beforeAll(() => {
  if (!ARCHIVE.met) return;
  provideRelease(release);
  mkdirSync(home);
  ran(["tar", "-xzf", join(release, NAME), "-C", home]);
});

testArchive("the archive holds what the README promises, and no source maps", () => {
  const documents = ["CHANGELOG.md", "LICENSE", "README.md", "THIRD_PARTY_NOTICES"];
  const names = [...documents, "abeval", "docs", "examples", "sbom.cdx.json", "scenarios", "ui"];
  expect(readdirSync(home).sort()).toEqual(names);
  expect(statSync(program).mode & 0o777).toBe(0o755);
  const files = readdirSync(home, { recursive: true }).map(String);
  expect(files.filter((name) => name.endsWith(".map"))).toEqual([]);
  expect(
    readdirSync(join(home, "scenarios"))
      .filter((name) => name.endsWith(".yaml"))
      .sort(),
  ).toEqual(SCENARIOS.map((name) => `${name}.yaml`));
});

testArchive("the sums are those of the files, and the SBOM is about this executable", () => {
  const lines = readFileSync(join(release, "SHA256SUMS"), "utf8").trimEnd().split("\n");
  const sum = (path: string) => new Bun.CryptoHasher("sha256").update(readFileSync(path)).digest("hex");
  expect(lines).toEqual(lines.map((line) => `${sum(join(release, line.slice(66)))}  ${line.slice(66)}`));
  const { metadata } = JSON.parse(readFileSync(join(home, "sbom.cdx.json"), "utf8"));
  expect(metadata.component.hashes).toEqual([{ alg: "SHA-256", content: sum(program) }]);
});

testArchive("the installer puts it in place and it runs", () => {
  const to = join(directory.path, "installed");
  ran(["sh", join(release, "install.sh"), "--from", release, "--to", to]);
  expect(ran([join(to, "bin/abeval"), "--version"])).toBe(`${manifest.version}\n`);
});

testNeeding(ARCHIVE, NPM)("installed by npm from its files, it runs, and SIGTERM reaches it", async () => {
  const to = join(directory.path, "npm");
  mkdirSync(to, { recursive: true });
  writeFileSync(join(to, "package.json"), "{}");
  const files = ["abeval", `abeval-${nativeTarget().name}`].map((name) => `${name}-${manifest.version}.tgz`);
  const offline = ["--offline", "--cache", join(directory.path, "npm-cache")];
  ran(["npm", "install", ...offline, ...files.map((file) => join(release, file))], to);
  expect(ran(["npx", ...offline, "abeval", "--version"], to)).toBe(`${manifest.version}\n`);
  const scenario = "node_modules/abeval/scenarios/pager-last-page.yaml";
  expect(JSON.parse(ran(["npx", ...offline, "abeval", "run", scenario, "--quiet"], to)).winner).toBe("root-cause");
  const command = ["node_modules/.bin/abeval", "serve", "--web-dir", "node_modules/abeval/ui", "--addr", "127.0.0.1:0"];
  const child = Bun.spawn(command, { cwd: to, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const pages: number[] = [];
  for await (const chunk of child.stderr) {
    const url = addressIn(Buffer.from(chunk).toString());
    if (url === undefined) continue;
    pages.push((await fetch(url)).status);
    child.kill("SIGTERM");
  }
  expect({ pages, status: await child.exited }).toEqual({ pages: [200], status: 0 });
});

testArchive("./abeval serve --web-dir ui, with nothing in the environment", async () => {
  const args = ["./abeval", "serve", "--web-dir", "ui", "--addr", "127.0.0.1:0"];
  const child = Bun.spawn(args, { cwd: home, env: {}, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  try {
    const url = await listening(child.stderr);
    const page = await (await fetch(url)).text();
    expect(page).toBe(readFileSync(join(home, "ui/index.html"), "utf8"));
    for (const [, asset = ""] of page.matchAll(/(?:src|href)="(\/[^"]+)"/g))
      expect((await fetch(`${url}${asset}`)).status).toBe(200);
    const rows = (await (await fetch(`${url}/api/scenarios`)).json()) as { name: string; error: unknown }[]; // as its OpenAPI document says
    expect(rows.map(({ name, error }) => ({ name, error }))).toEqual(SCENARIOS.map((name) => ({ name, error: null })));
  } finally {
    child.kill();
    await child.exited;
  }
});

async function listening(stderr: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stderr) {
    text += Buffer.from(chunk).toString();
    const url = addressIn(text);
    if (url !== undefined) return url;
  }
  throw new Error(text);
}

const addressIn = (text: string) => /listening on (http:\/\/\S+)/.exec(text)?.[1];

testArchive("./abeval run, with nothing in the environment", async () => {
  const args = ["./abeval", "run", "scenarios/pager-last-page.yaml", "--quiet"];
  const child = Bun.spawn(args, { cwd: home, env: {}, stdin: "ignore", stdout: "pipe", stderr: "ignore" });
  const verdict = await new Response(child.stdout).json();
  expect({ status: await child.exited, winner: verdict.winner }).toEqual({ status: 0, winner: "root-cause" });
});

testNeeding(ARCHIVE, ISOLATION)("./abeval run on a machine that reaches nothing but its provider", () => {
  const models = ["--model", "gateway/model", "--judge-model", "gateway/judge"];
  const inside = [process.execPath, join(ROOT, "test/release/air-gapped.ts"), program];
  const report = JSON.parse(
    ran([...ISOLATED, ...inside, "run", "scenarios/pager-last-page.yaml", "--quiet", ...models], home),
  );
  expect(report).toMatchObject({ interfaces: ["lo"], status: 0, stderr: "" });
  const verdict = JSON.parse(report.stdout);
  expect(verdict).toMatchObject({ winner: "root-cause", judge: { model: "gateway/judge" } });
  expect(report.requests).toBeGreaterThan(4);
});

function canIsolate(): boolean {
  return Bun.which("bwrap") !== null && Bun.spawnSync([...ISOLATED, "true"]).exitCode === 0;
}

testArchive("./abeval mcp as docs/mcp.md tells a client", async () => {
  const [, json = ""] =
    /```json\n(\{\n {2}"mcpServers"[\s\S]*?\n)```/.exec(readFileSync(join(ROOT, "docs/mcp.md"), "utf8")) ?? [];
  const config = json
    .replace("/opt/abeval/abeval", program)
    .replace("/home/me/scenarios", join(home, "scenarios"))
    .replace("/home/me/.abeval", join(directory.path, "state"));
  const { command, args } = JSON.parse(config).mcpServers.abeval;
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StdioClientTransport({ command, args, cwd: "/", stderr: "ignore" }));
  expect(client.getServerVersion()).toMatchObject({ name: "abeval", version: manifest.version });
  expect((await client.listTools()).tools.length).toBe(7);
  const { structuredContent } = await client.callTool({ name: "list_scenarios", arguments: {} });
  expect(structuredContent).toMatchObject({ scenarios: SCENARIOS.map((name) => ({ name })) });
  await client.close();
});

testArchive("a second release of the same files has the same bytes", () => {
  const again = join(directory.path, "again");
  makeRelease(again);
  const sumOf = (out: string) =>
    readFileSync(join(out, "SHA256SUMS"), "utf8")
      .split("\n")
      .find((line) => line.endsWith(NAME));
  expect(sumOf(again)).toBe(sumOf(release) ?? "a line for this machine's archive");
});

testArchive(`the executable is at most ${MAX_RATIO} times an empty program`, () => {
  const [source, empty] = [join(directory.path, "empty.ts"), join(directory.path, "empty-program")];
  writeFileSync(source, "");
  ran([
    process.execPath,
    "build",
    "--compile",
    `--target=${nativeTarget().compiler_target}`,
    source,
    "--outfile",
    empty,
  ]);
  expect(statSync(program).size / statSync(empty).size).toBeLessThanOrEqual(MAX_RATIO);
});
