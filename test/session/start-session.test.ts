import { expect, test } from "bun:test";
import { prepareSession } from "../../src/comparison/planning/prepare-session.ts";
import type { SessionServices } from "../../src/comparison/planning/services.ts";
import { startSession } from "../../src/comparison/session/start-session.ts";
import { Failure } from "../../src/domain/failure.ts";
import { stopRuns } from "../../src/doors/operation/runs.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { LoggedEntry, SessionStore } from "../../src/store/store.ts";
import { light, testServices } from "../harness.ts";

const DAY = new Date().toISOString().slice(0, 10);

/** A store that gives no outcome, and whose logs cannot be read when they have ended. */
function damagedAtTheEnd(): SessionStore {
  const store = memoryStore();
  const isWhole = (log: readonly LoggedEntry[]) => log.every(({ entry }) => entry.type !== "ended");
  return {
    ...store,
    async append(run, entries, safety) {
      await store.append(run, entries, safety);
      return undefined;
    },
    async read(session_id, from) {
      const log = await store.read(session_id, from);
      if (isWhole(log)) return log;
      throw new Failure("storage_failed", "the disk cannot be read");
    },
  };
}

async function start(services: SessionServices) {
  const plan = await prepareSession(services, await light("extract-rate-limit"), {});
  return await startSession(services, { ...plan, worst_case: { arms: [1, 2], judge: 4 } });
}

test("a run whose end cannot be read is over all the same: it tells so, stands in nobody's way, and its money is settled", async () => {
  const notices: string[] = [];
  const services = testServices(
    {},
    { store: damagedAtTheEnd(), max_cost_per_day_usd: 100, notice: (line) => void notices.push(line) },
  );
  const { session_id, done } = await start(services);
  expect(await services.store.ledger.on(DAY)).toEqual({ spent: 0, reserved: 7 });
  await expect(done).rejects.toMatchObject({ code: "storage_failed" });
  expect(services.runs.all()).toEqual([]);
  await stopRuns(services, new Failure("interrupted", "the program stops"));
  expect(await services.store.ledger.on(DAY)).toEqual({ spent: 7, reserved: 0 });
  expect(notices).toContain(`${session_id}: its outcome cannot be read: the disk cannot be read`);
});

test("a run that nobody waits for ends no process, though its end cannot be read", async () => {
  const services = testServices({}, { store: damagedAtTheEnd() });
  await start(services);
  // An unhandled rejection fails the test.
  while (services.runs.all().length > 0) await new Promise(setImmediate);
  await new Promise(setImmediate);
});

test("a run is in flight until what it cost is noted", async () => {
  const store = memoryStore();
  const inFlight: number[] = [];
  const { settle } = store.ledger;
  const services = testServices(
    {},
    {
      store: {
        ...store,
        ledger: {
          ...store.ledger,
          settle(entry) {
            inFlight.push(services.runs.all().length);
            return settle(entry);
          },
        },
      },
      max_cost_per_day_usd: 100,
    },
  );
  await (await start(services)).done;
  expect(inFlight).toEqual([1]);
  expect(services.runs.all()).toEqual([]);
});
