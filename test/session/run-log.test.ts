import { expect, test } from "bun:test";
import { RunLog } from "../../src/comparison/session/run/run-log.ts";
import { Failure, type FailureCode } from "../../src/domain/failure.ts";
import type { RunEntry } from "../../src/domain/session-entry.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { readSession } from "../../src/store/read-session.ts";
import { entriesGiven } from "../../src/store/store.ts";
import { anOutcome, aTurn } from "../outcomes.ts";
import { begin } from "../stored.ts";

const ID = "session-sample-20260102T030405678Z";

const VERDICT = { ...EXAMPLES.verdict, kind: "run" as const };

const turn = (seq: number): RunEntry => ({ type: "decision", arm_id: "left", decision: aTurn(seq) });

/** A log in memory; what `lost` names of an entry is thrown in its place. */
async function openLog(lost: (entry: RunEntry) => Failure | undefined = () => undefined) {
  const memory = memoryStore();
  const store: typeof memory = {
    ...memory,
    async append(run, entries, safety) {
      const [failure] = entriesGiven(entries, () => []).flatMap((entry) => lost(entry) ?? []);
      if (failure) throw failure;
      return await memory.append(run, entries, safety);
    },
  };
  const log = new RunLog(store, systemClock, await begin(store, anOutcome(ID)));
  const typesOf = async (): Promise<string[]> => (await store.read(ID)).map(({ entry }) => entry.type);
  return { log, store, typesOf };
}

const lostTurns = (entry: RunEntry) =>
  entry.type === "decision" ? new Failure("storage_full", `turn ${entry.decision.seq} is lost`) : undefined;

test("a run that lost an entry does not complete, and enters no stage: the first loss says why", async () => {
  const { log, typesOf } = await openLog(lostTurns);
  log.note(turn(1));
  log.note(turn(2));
  await expect(log.complete(VERDICT)).rejects.toMatchObject({ message: "turn 1 is lost" });
  await expect(log.enter("judging")).rejects.toMatchObject({ message: "turn 1 is lost" });
  expect(() => log.note(turn(3))).toThrow("turn 1 is lost");
  expect(log.over).toBe(false);
  expect(await typesOf()).toEqual(["created"]);
});

test("what a run notes in one turn of the event loop is one append, in its order", async () => {
  const appended: string[][] = [];
  const { log, store, typesOf } = await openLog();
  const { append } = store;
  store.append = async (run, entries, safety) => {
    appended.push(entriesGiven(entries, () => []).map(({ type }) => type));
    return await append(run, entries, safety);
  };
  log.note(turn(1));
  await Promise.resolve();
  log.note(turn(2));
  await log.enter("judging");
  log.note(turn(3));
  await log.complete(VERDICT);
  expect(appended).toEqual([["decision", "decision", "stage"], ["decision"], ["judged", "ended"]]);
  expect(await typesOf()).toEqual(["created", ...appended.flat()]);
});

test("the end comes behind everything that was noted", async () => {
  for (const end of ["complete", "fail"] as const) {
    const { log, typesOf } = await openLog();
    log.note(turn(1));
    if (end === "complete") await log.complete(VERDICT);
    else await log.fail(new Failure("internal", "no"));
    expect(log.over).toBe(true);
    const judged = end === "complete" ? ["judged"] : [];
    expect(await typesOf()).toEqual(["created", "decision", ...judged, "ended"]);
  }
});

const BLAME: readonly (readonly [FailureCode, string, string])[] = [
  ["cancelled", "cancelled", "user"],
  ["interrupted", "interrupted", "infra"],
  ["setup_failed", "failed", "user"],
  ["provider_failed", "failed", "infra"],
];

test.each(BLAME)(
  "a run that ends by %s is %s, the fault is of class %s, and its stage is the last",
  async (code, state, blame) => {
    const { log, store } = await openLog();
    await log.enter("running");
    await log.fail(new Failure(code, "why", { retryable: true }));
    expect(await readSession(store, ID)).toMatchObject({
      state,
      failure: { stage: "running", class: blame, code, message: "why", retryable: true },
    });
  },
);

test("a run whose end cannot be stored is over all the same", async () => {
  const { log } = await openLog(({ type }) => (type === "ended" ? new Failure("storage_full", "full") : undefined));
  await expect(log.complete(VERDICT)).rejects.toMatchObject({ code: "storage_full" });
  expect(log.over).toBe(false);
  await log.fail(new Failure("storage_full", "full"));
  expect(log.over).toBe(true);
});
