import { afterAll, beforeAll, expect, test } from "bun:test";
import { providerStatuses } from "../../src/arms/model/check-model.ts";
import { Credentials } from "../../src/arms/model/credentials.ts";
import type { DoctorReport } from "../../src/domain/doctor-report.ts";
import type { Provider } from "../../src/domain/provider.ts";
import { diagnose } from "../../src/doors/doctor/doctor.ts";
import type { Services } from "../../src/doors/doctor/services.ts";
import { type Clock, systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { openSharedStore } from "../../src/store/postgres/postgres-store.ts";
import type { SharedStore } from "../../src/store/shared-store.ts";
import { goodScenario, never, servicesOver } from "../doctor/small-scenario.ts";
import { serve } from "../http/served.ts";
import { describeNeeding } from "../needs.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../postgres/server.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";

const open = (url: string, version = "1.2.3") =>
  openSharedStore(url, { clock: systemClock, entropy: systemEntropy, version, lease_s: 10, max_queued: 100 });

/** The rows that only a database has, and those of a state directory. */
async function found(shared: SharedStore, change: Partial<Services> = {}) {
  await using folder = await scenarioFolder({ "small.yaml": JSON.stringify(goodScenario()) });
  const { checks } = await diagnose(servicesOver(folder.directory, { store: shared, shared, ...change }), null, never);
  const rows = checks.filter(({ id }) => /^(database|workers|queue|state)\./.test(id));
  return Object.fromEntries(rows.map(({ id, status, detail }) => [id, [status, detail] as const]));
}

const running = () => 1;

describeNeeding(POSTGRES)("doctor, of a database", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await postgresServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test("says that it works, and what its workers have", async () => {
    const { url } = await server.create();
    await using worker = await open(url);
    await using shared = await open(url);
    worker.workers.announce({ slots: 4, capabilities: ["provider:openai", "sandbox:bubblewrap"], running });
    shared.workers.announce({ slots: 0, capabilities: ["provider:anthropic"], running });
    await worker.workers.alive();
    expect(await found(shared)).toEqual({
      "database.reachable": ["pass", url],
      "database.version": ["pass", expect.stringMatching(/^PostgreSQL \d+\.\d+/)],
      "database.rights": ["pass", "reads and writes every table"],
      "database.pooler": ["pass", "arrive"],
      "database.latency": [expect.stringMatching(/^(pass|warn)$/), expect.stringMatching(/^\d+\.\d ms round trip$/)],
      "database.clock": ["pass", "agree"],
      "workers.alive": ["pass", "1, running 1 of at most 4 sessions; 1 other process"],
      "workers.capabilities": ["pass", "provider:openai on 1 of 1, sandbox:bubblewrap on 1 of 1"],
      "workers.version": ["pass", "1.2.3"],
      "queue.depth": ["pass", "0 pieces of work"],
      "queue.drained": ["pass", "servers and workers take work"],
    });
  });

  test("warns of a clock that goes otherwise than the database's", async () => {
    const { url } = await server.create();
    const clock: Clock = { ...systemClock, now: () => new Date(Date.now() + 5_000) };
    await using shared = await openSharedStore(url, {
      ...{ clock, entropy: systemEntropy, version: "1.2.3", lease_s: 10, max_queued: 100 },
    });
    expect(await found(shared)).toMatchObject({
      "database.clock": ["warn", expect.stringMatching(/^this machine's clock is [45]\.\d s ahead of the database's/)],
    });
  });

  test("warns of what no worker has, of versions that are mixed, and when nobody works", async () => {
    const { url } = await server.create();
    await using shared = await open(url);
    const providers = () =>
      providerStatuses(new Credentials({ OPENAI_API_KEY: "sk-1", GATEWAY_BASE_URL: "http://g/v1" }));
    expect(await found(shared, { providers })).toMatchObject({
      "workers.alive": ["warn", "none; 1 other process: every run is refused"],
      "workers.capabilities": ["warn", "nothing; on none: provider:openai, provider:gateway, sandbox:bubblewrap"],
    });
    await using old = await open(url, "1.2.2");
    old.workers.announce({ slots: 2, capabilities: ["provider:openai"], running });
    await old.workers.alive();
    expect(await found(shared, { providers })).toMatchObject({
      "workers.capabilities": ["warn", "provider:openai on 1 of 1; on none: provider:gateway, sandbox:bubblewrap"],
      "workers.version": ["warn", "1.2.2, 1.2.3 on one database"],
    });
  });

  test("of a scenario a server that runs nothing says whether some worker can", async () => {
    const { url } = await server.create();
    const scenario = {
      ...goodScenario(),
      arms: ["left", "right"].map((id) => ({ id, model: "anthropic/any", system_prompt: id })),
    };
    await using folder = await scenarioFolder({ "small.yaml": JSON.stringify(scenario) });
    const process = (args: readonly string[], keys: Record<string, string> = {}) =>
      serve([...args, "--sandbox", "none", "--log", "none"], { ABEVAL_DATABASE_URL: url, ...keys });
    await using asked = await process(["--max-sessions", "0", "--scenarios-dir", folder.directory]);
    const told = async () => {
      const report = await fetch(`${asked.url}/api/doctor?scenario=small`);
      const { checks } = (await report.json()) as DoctorReport;
      const rows = checks.filter(({ id }) => ["models.arms", "workers.scenario"].includes(id));
      return rows.map(({ id, status, detail }) => [id, status, detail]);
    };
    const noKey = ["models.arms", "warn", expect.stringContaining("ANTHROPIC_API_KEY")];
    expect(await told()).toEqual([noKey, ["workers.scenario", "warn", "there is no worker"]]);
    await using _other = await process(["--worker"], { OPENAI_API_KEY: "sk-none-0123456789" });
    expect(await told()).toEqual([noKey, ["workers.scenario", "warn", "none has provider:anthropic"]]);
    await using _able = await process(["--worker"], { ANTHROPIC_API_KEY: "sk-none-0123456789" });
    expect(await told()).toEqual([
      ["models.arms", "pass", "left: anthropic/any, right: anthropic/any"],
      ["workers.scenario", "pass", "1 of 2; provider:anthropic on 1, sandbox:none on 2"],
    ]);
    const providers = (await (await fetch(`${asked.url}/api/providers`)).json()) as Provider[];
    const anthropic = providers.find(({ provider }) => provider === "anthropic");
    expect(anthropic).toEqual({ provider: "anthropic", here: false, runs: true, local: false, priced: [] });
  });

  test("names the rights that are missing", async () => {
    const { name, urlFor, sql } = await server.create();
    // Every database of the server knows the role.
    const role = `plain_${name}`;
    await sql(`CREATE ROLE ${role} LOGIN; GRANT CREATE ON DATABASE ${name} TO ${role}`);
    await using shared = await open(urlFor(role));
    expect(await found(shared)).toMatchObject({ "database.rights": ["pass", "reads and writes every table"] });
    await sql(`REVOKE DELETE, UPDATE ON abeval.entries FROM ${role}`);
    expect(await found(shared)).toMatchObject({
      "database.rights": ["fail", "lacks DELETE on abeval.entries, UPDATE on abeval.entries"],
    });
  });

  test("fails without the database, and tries nothing else of it", async () => {
    const own = await postgresServer();
    const { url } = await own.create();
    await using shared = await open(url);
    await own[Symbol.asyncDispose]();
    const rows = await found(shared);
    expect(rows["database.reachable"]).toEqual([
      "fail",
      expect.stringMatching(/: cannot be reached \(.*\); is the server running there\?$/),
    ]);
    expect(Object.values(rows).filter(([status]) => status === "skip")).toHaveLength(10);
  });
});
