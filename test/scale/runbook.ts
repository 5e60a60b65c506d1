import { expect, test } from "bun:test";
import { readPage } from "../docs/pages.ts";
import { openShell } from "../docs/shell.ts";
import { type Served, serve } from "../http/served.ts";
import { jsonPost, writeScenarios } from "../http/service.ts";
import { describeNeeding } from "../needs.ts";
import { Fleet, startRun } from "../postgres/fleet.ts";
import { proxyTo } from "../postgres/proxy.ts";
import { POSTGRES, postgresServer, standbyOf } from "../postgres/server.ts";
import { problemsOfLogs } from "../postgres/whole-logs.ts";
import { temporaryDirectory } from "../temporary.ts";
import { until } from "../turns.ts";

const SCALE = await readPage("docs/scale.md");

/** The one block of the page that holds these words. */
function command(words: string): string {
  const found = SCALE.blocks.filter(({ language, text }) => language === "sh" && text.includes(words));
  expect(found).toHaveLength(1);
  return found[0]?.text ?? "";
}

/** Types a block of the page. @throws when one of its lines fails */
async function typed(words: string, env: Readonly<Record<string, string>>, { url }: Pick<Served, "url"> = NOBODY) {
  using shell = openShell();
  const { status, stdout, stderr } = await shell.type(command(words).replace("http://127.0.0.1:8080", url), env);
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
}

const NOBODY = { url: "" };

const look = (served: Served, url: string) => typed("api/metrics", { ABEVAL_DATABASE_URL: url }, served);

describeNeeding(POSTGRES)("the runbook", () => {
  test("finds a dead worker and a full queue, and a new worker mends both", async () => {
    await using postgres = await postgresServer();
    const { url } = await postgres.create();
    await using fleet = new Fleet(url);
    const [front, victim] = await Promise.all([fleet.server(), fleet.worker(1)]);
    expect(await look(front, url)).toContain("\nabeval_workers 1\nabeval_worker_places 1\n");
    const held = await startRun(front, "long");
    await fleet.until("(SELECT WHERE NOT EXISTS (SELECT FROM abeval.sessions WHERE state = 'running')) AS none");
    const env = { ABEVAL_DATABASE_URL: url };
    using directory = temporaryDirectory();
    const flags = ["--max-sessions", "0", "--max-queued", "2", "--lease", "10", "--log", "none", "--sandbox", "none"];
    await using full = await serve([...flags, "--scenarios-dir", writeScenarios(directory.path)], env);
    const waiting = [await startRun(front, "brief"), await startRun(front, "brief")];
    const refused = await fetch(`${full.url}/api/runs/async`, jsonPost({ scenario: "quick" }));
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "60"]);
    expect(await look(front, url)).toMatch(/\nabeval_sessions_queued 2\nabeval_oldest_queued_seconds \d/);
    await victim.stop("SIGKILL");
    const shows = (form: RegExp) => until(async () => form.test(await look(front, url)));
    await shows(/^warn workers\.alive none; (.*\n)*abeval_workers 0$/m);
    await fleet.worker(3);
    await fleet.until(`abeval.sessions WHERE session_id IN ('${waiting.join("', '")}') AND NOT ended`);
    // The run of the dead worker waits for a moment, too.
    await shows(/^abeval_sessions_queued 0\n(.*\n)*abeval_workers 1$/m);
    await fetch(`${front.url}/api/runs/${held}`, { method: "DELETE" });
    await fleet.untilAllEnded();
    expect(problemsOfLogs(await fleet.entries())).toEqual([]);
  });

  test("finds in the log of a worker that stood still the run that it lost", async () => {
    await using postgres = await postgresServer();
    const { url } = await postgres.create();
    await using fleet = new Fleet(url);
    const front = await fleet.server();
    const flags = ["--worker", "--max-sessions", "1", "--lease", "10", "--log", "json", "--sandbox", "none"];
    await using late = await serve(flags, { ABEVAL_DATABASE_URL: url });
    const session_id = await startRun(front, "lasting");
    await fleet.until("(SELECT WHERE NOT EXISTS (SELECT FROM abeval.sessions WHERE state = 'running')) AS none");
    late.child.kill("SIGSTOP");
    await fleet.worker(1);
    await fleet.untilAllEnded();
    late.child.kill("SIGCONT");
    const line = await until(() => /^.*"event":"(?:lost|superseded)".*$/m.exec(late.log())?.[0]);
    expect(JSON.parse(line)).toEqual({
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      event: expect.any(String),
      ...{ session_id, attempt: 1, code: "interrupted" },
    });
    expect(late.log()).toContain(`"event":"claimed","session_id":"${session_id}","attempt":1}`);
    expect(late.log()).not.toContain('"event":"ended"');
  });

  test("a backup while servers run is restored into another database, where runs that went on begin anew", async () => {
    await using postgres = await postgresServer();
    const [{ url }, restored] = [await postgres.create(), await postgres.create()];
    await using fleet = new Fleet(url);
    const [front] = await Promise.all([fleet.server(), fleet.worker(1)]);
    const done = await startRun(front, "brief");
    await fleet.untilAllEnded();
    const going = await startRun(front, "lasting");
    await fleet.until("(SELECT WHERE NOT EXISTS (SELECT FROM abeval.sessions WHERE state = 'running')) AS none");
    using shell = openShell();
    const env = { ABEVAL_DATABASE_URL: url, RESTORED_URL: restored.url };
    for (const words of ["pg_dump", "pg_restore"])
      expect(await shell.type(command(words), env)).toEqual({ status: 0, stdout: "", stderr: "" });
    await using other = new Fleet(restored.url);
    const again = await other.server();
    await other.worker(1);
    await other.untilAllEnded();
    const state = async (id: string) => await (await fetch(`${again.url}/api/sessions/${id}`)).json();
    expect(await state(done)).toMatchObject({ state: "completed" });
    expect(await state(going)).toMatchObject({ state: "completed", lost_attempts: [expect.anything()] });
    expect(problemsOfLogs(await other.entries())).toEqual([]);
  });

  test("finds a standby that is behind and one that is gone, and leads servers to one that is promoted", async () => {
    await using primary = await postgresServer();
    const { url, urlBy } = await primary.create();
    await using standby = await standbyOf(primary);
    using proxy = await proxyTo(primary.port);
    await using fleet = new Fleet(urlBy(proxy.port));
    const [front] = await Promise.all([fleet.server(), fleet.worker(2)]);
    const env = { ADMIN_URL: url, STANDBY_URL: urlBy(standby.port) };
    const behind = async () => (await typed("bytes_behind", env)).split("|");
    const ask = (sql: string) => typedSql(env.STANDBY_URL, sql);
    await ask("SELECT pg_wal_replay_pause()");
    await startRun(front, "brief");
    await fleet.untilAllEnded();
    const [, sync, bytes] = await behind();
    expect([sync, Number(bytes) > 0]).toEqual(["sync", true]);
    expect(await typed("pg_wal_replay_resume", env)).toMatch(/^t\|/);
    await until(async () => Number((await behind())[2]) === 0);

    await standby.stop("fast");
    await until(async () => (await typed("bytes_behind", env)) === "");
    const stuck = startRun(front, "brief");
    expect((await fetch(`${front.url}/api/sessions`)).status).toBe(200);
    expect(await typed("synchronous_standby_names", env)).toContain("ALTER SYSTEM");
    const id = await stuck;
    await standby.start();
    await until(async () => Number((await behind())[2]) === 0);
    await fleet.untilAllEnded();

    const ids = [await startRun(front, "slow"), await startRun(front, "slow")];
    await fleet.until("(SELECT WHERE 2 > (SELECT count(*) FROM abeval.sessions WHERE state = 'running')) AS few");
    await until(async () => Number((await behind())[2]) === 0);
    await primary.stop("immediate");
    expect(await typed("pg_promote", env)).toBe("t\n");
    proxy.leadTo(standby.port);
    await fleet.untilAllEnded();
    const rows = await fleet.ask<{ session_id: string }>(
      "SELECT session_id FROM abeval.sessions WHERE state = 'completed'",
    );
    expect(rows.map(({ session_id }) => session_id)).toEqual(expect.arrayContaining([id, ...ids]));
    expect(problemsOfLogs(await fleet.entries())).toEqual([]);
  });
});

async function typedSql(url: string, sql: string): Promise<void> {
  using shell = openShell();
  expect((await shell.type(`psql "${url}" -Atc "${sql}"`)).status).toBe(0);
}
