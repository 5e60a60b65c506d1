import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json";
import { JUDGING_PROTOCOLS } from "../../src/comparison/judge/open-judge.ts";
import type { DoctorReport } from "../../src/domain/doctor-report.ts";
import { SERIES_PROTOCOL } from "../../src/domain/series-record.ts";
import { LOG_VERSION } from "../../src/domain/session-entry.ts";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { abeval, FROM_SOURCES, PROGRAM, ROOT } from "../abeval.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { sampleOf, samplesIn } from "../http/exposition.ts";
import { serve } from "../http/served.ts";
import { connectProgram } from "../mcp/client.ts";
import { temporaryDirectory } from "../temporary.ts";
import { writeSmallScenario } from "./small-scenario.ts";

/** Every place in which the program says its version. */
const SOURCES: Readonly<Record<string, () => Promise<readonly unknown[]>>> = {
  "the flag": async () => [(await abeval(["--version"])).stdout.trimEnd()],
  "health and the OpenAPI document": async () => {
    await using served = await serve();
    const json = async (path: string) => (await fetch(`${served.url}${path}`)).json() as Promise<never>; // each is read below
    const [health, document]: [{ version: string }, { info: { version: string } }] = [
      await json("/api/health"),
      await json("/api/openapi.json"),
    ];
    return [health.version, document.info.version];
  },
  "the MCP handshake": async () => {
    await using server = await connectProgram(["mcp"]);
    return [server.client.getServerVersion()?.version];
  },
};

test.each(Object.entries(SOURCES))("the version of package.json is told by %s", async (_, read) => {
  for (const version of await read()) expect(version).toBe(manifest.version);
});

test.each(["anthropic", "openai", "gateway"])("the user agent towards %s has the version", async (provider) => {
  using directory = temporaryDirectory();
  await using server = await startFakeProvider();
  const { status, stderr } = await abeval(["run", writeSmallScenario(directory.path), "--model", `${provider}/model`], {
    env: server.environment,
  });
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  const agents = new Set(server.requests.map(({ headers }) => headers["user-agent"]));
  expect([...agents]).toEqual([`abeval/${manifest.version}`]);
});

test("--version --json says what decides whether two programs can share sessions, and so do doctor and metrics", async () => {
  using directory = temporaryDirectory();
  const { status, stdout, stderr } = await abeval(["--version", "--json"]);
  const { commit, schema, ...build } = JSON.parse(stdout);
  expect({ status, stderr, ...build }).toEqual({
    ...{ status: 0, stderr: "", version: manifest.version, log: LOG_VERSION },
    protocols: [`log/${LOG_VERSION}`, ...JUDGING_PROTOCOLS, SERIES_PROTOCOL, "records/2"],
  });
  // The sources have none, nor has what is made of them outside a clone.
  if (PROGRAM === FROM_SOURCES || !existsSync(join(ROOT, ".git"))) expect(commit).toBeUndefined();
  else expect(commit).toMatch(/^[0-9a-f]{40}(-dirty)?$/);

  sqliteStore(directory.path, systemClock, systemEntropy)[Symbol.dispose]();
  using made = new Database(join(directory.path, "sessions.db"));
  expect(made.query("PRAGMA user_version").get()).toEqual({ user_version: schema.sqlite });

  await using served = await serve(["--scenarios-dir", directory.path, "--sandbox", "none"]);
  const { checks } = (await (await fetch(`${served.url}/api/doctor`)).json()) as DoctorReport;
  const parts = [manifest.version, ...(commit ? [`commit ${commit}`] : [])];
  const versions = `schema sqlite ${schema.sqlite}, postgres ${schema.postgres}; log ${LOG_VERSION}`;
  expect(checks.find(({ id }) => id === "version")?.detail).toBe([...parts, versions].join("; "));
  const labels = { version: manifest.version, commit: commit ?? "", log: String(LOG_VERSION) };
  const tables = { sqlite: String(schema.sqlite), postgres: String(schema.postgres) };
  const samples = samplesIn(await (await fetch(`${served.url}/api/metrics`)).text());
  expect(sampleOf(samples, "abeval_build_info", { ...labels, ...tables })).toBe(1);
});
