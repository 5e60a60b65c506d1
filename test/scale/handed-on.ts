import { afterAll, beforeAll, expect, test } from "bun:test";
import { killedFromOutside } from "../../src/arms/sandbox/process/killed-from-outside.ts";
import { Failure } from "../../src/domain/failure.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { trialRowOf } from "../../src/domain/trial.ts";
import { describeNeeding } from "../needs.ts";
import { Fleet, LEASE_S, startRun } from "../postgres/fleet.ts";
import { aProcess, type Having, start } from "../postgres/processes.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../postgres/server.ts";
import { problemsOfLogs, problemsOfLosses } from "../postgres/whole-logs.ts";

const AWAY_MS = 1_000 * (LEASE_S + 4);

const OUT_OF_REACH = new Failure("storage_failed", "postgres://db: cannot be reached", { retryable: true });

/** Of the attempts up to this one the database takes no decision. */
const untilAttempt =
  (last: number): NonNullable<Having["refused"]> =>
  (entry, { attempt }) =>
    entry.type === "decision" && attempt <= last ? OUT_OF_REACH : undefined;

describeNeeding(POSTGRES)("a run whose worker cannot reach the database", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await postgresServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test("leaves that attempt with the first entry that is lost, asks no model for more, and begins anew", async () => {
    const { url } = await server.create();
    await using front = await aProcess(url);
    const cut: unknown[] = [];
    // The other arm would wait for its model for ever.
    const before: Having["before"] = async (side, run, signal) => {
      if (side !== "b" || run > 1) return;
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      cut.push(signal.reason);
      signal.throwIfAborted();
    };
    await using _worker = await aProcess(url, { slots: 1, before, refused: untilAttempt(1) });
    const { session_id, done } = await start(front);
    const outcome = await done;
    expect(cut).toEqual([OUT_OF_REACH]);
    expect(outcome).toMatchObject({ session_id, state: "completed", verdict: { winner: "a" } });
    expect(outcome.lost_attempts).toHaveLength(1);
    expect(await front.services.shared.queue.waiting()).toEqual([]);
  });

  test("is judged anew when it is the verdict that is lost", async () => {
    const { url } = await server.create();
    await using front = await aProcess(url);
    const asked: string[] = [];
    const refused: Having["refused"] = ({ type }, { attempt }) =>
      type === "judged" && attempt === 1 ? OUT_OF_REACH : undefined;
    await using _worker = await aProcess(url, { slots: 1, before: (side) => void asked.push(side), refused });
    const { done } = await start(front);
    expect(await done).toMatchObject({ state: "completed", verdict: { winner: "a" } });
    expect(asked.sort()).toEqual(["a", "b"]);
  });

  test("ends as interrupted when that happens to three attempts", async () => {
    const { url } = await server.create();
    await using front = await aProcess(url);
    let asked = 0;
    const before = (side: string) => {
      if (side === "a") asked += 1;
    };
    await using _worker = await aProcess(url, { slots: 1, before, refused: untilAttempt(9) });
    const { done } = await start(front);
    const outcome = await done;
    expect(outcome).toMatchObject({ state: "interrupted", failure: { code: "interrupted", retryable: true } });
    expect(outcome.lost_attempts).toHaveLength(3);
    expect(asked).toBe(3);
  });

  test("ends with any other failure to store, as it would begin anew for nothing", async () => {
    const { url } = await server.create();
    await using front = await aProcess(url);
    const damaged = new Failure("storage_failed", "the table is damaged");
    const refused: Having["refused"] = ({ type }) => (type === "decision" ? damaged : undefined);
    await using _worker = await aProcess(url, { slots: 1, refused });
    const { done } = await start(front);
    expect(await done).toMatchObject({ state: "failed", failure: { code: "storage_failed" } });
  });

  const FULL = new Failure("storage_full", "the disk of the database is full", { retryable: true });

  test("is handed back when the disk is full, however often, and counts no attempt as lost that was", async () => {
    const { url } = await server.create();
    await using front = await aProcess(url);
    let releases = 0;
    const refused: Having["refused"] = ({ type }, { attempt }) => {
      // The first time there is no space to say so either.
      if (type === "released") releases += 1;
      return attempt <= 5 && (type === "decision" || (type === "released" && releases === 1)) ? FULL : undefined;
    };
    await using _worker = await aProcess(url, { slots: 1, refused });
    const { done } = await start(front);
    const outcome = await done;
    expect(outcome).toMatchObject({ state: "completed", verdict: { winner: "a" } });
    expect([outcome.lost_attempts?.length, releases]).toEqual([5, 6]);
  });

  /** An arm of the first so many attempts is killed. */
  const killing = (attempts: number): Pick<Having, "before"> => ({
    before: async (side, run) => {
      if (side === "a" && run <= attempts) throw killedFromOutside("SIGKILL ended the sandbox around it");
    },
  });

  test("is handed back when it is killed from outside, and what it cost until then is kept", async () => {
    const { url } = await server.create();
    await using front = await aProcess(url);
    await using _worker = await aProcess(url, { slots: 1, ...killing(2) });
    const { session_id, done } = await start(front);
    const outcome = await done;
    expect(outcome).toMatchObject({ session_id, state: "completed", failure: null, verdict: { winner: "a" } });
    expect(outcome.lost_attempts?.map(({ killed_from_outside }) => killed_from_outside)).toEqual([true, true]);
    expect(trialRowOf(outcome).killed).toBe(2);
  });

  test("is given up when it is killed from outside for the third time", async () => {
    const { url } = await server.create();
    await using front = await aProcess(url);
    await using _worker = await aProcess(url, { slots: 1, ...killing(3) });
    const { done } = await start(front);
    const outcome = await done;
    expect(outcome).toMatchObject({ state: "interrupted", verdict: null, failure: { code: "killed_from_outside" } });
    expect(trialRowOf(outcome).killed).toBe(3);
    expect(await front.services.shared.queue.waiting()).toEqual([]);
  });

  test("is begun no more than twelve times, whatever the disk does: each time may cost something", async () => {
    const { url } = await server.create();
    await using front = await aProcess(url);
    const refused: Having["refused"] = ({ type }) => (type === "decision" ? FULL : undefined);
    await using _worker = await aProcess(url, { slots: 1, refused });
    const { done } = await start(front);
    const outcome = await done;
    expect(outcome).toMatchObject({ state: "interrupted", failure: { message: "It was begun 12 times." } });
    expect(outcome.lost_attempts).toHaveLength(12);
  });

  const outcomeOf = async (url: string, id: string) =>
    (await (await fetch(`${url}/api/sessions/${id}`)).json()) as SessionOutcome;

  test.each([
    [1, "is gone"],
    [2, "says nothing"],
  ] as const)(
    "with %d of them: all begin anew when the database %s for longer than the lease",
    async (workers, how) => {
      const { url } = await server.create();
      await using fleet = new Fleet(url);
      const front = await fleet.server();
      for (let worker = 0; worker < workers; worker += 1) await fleet.worker(2);
      const ids = await Promise.all(["lasting", "lasting"].map((name) => startRun(front, name)));
      // Just after a sign of life of each: their claims last as long as they can.
      await fleet.until("abeval_queue.job WHERE state = 'active' AND heartbeat_on = started_on");
      await fleet.until(
        "(SELECT WHERE 2 > (SELECT count(*) FROM abeval_queue.job WHERE heartbeat_on > started_on)) AS few",
      );
      if (how === "is gone") {
        await server.stop("fast");
        await Bun.sleep(AWAY_MS);
        await server.start();
      } else {
        server.freeze();
        await Bun.sleep(AWAY_MS);
        server.thaw();
      }
      await fleet.untilAllEnded();
      const entries = await fleet.entries();
      expect(problemsOfLogs(entries)).toEqual([]);
      for (const id of ids) {
        const log = entries.filter(({ session_id }) => session_id === id);
        const outcome = await outcomeOf(front.url, id);
        expect(outcome).toMatchObject({ state: "completed", failure: null });
        expect(outcome.lost_attempts).toHaveLength(1);
        expect(problemsOfLosses(log, outcome)).toEqual([]);
      }
      await fleet.until("abeval_queue.job WHERE state < 'completed'");
    },
  );
});
