import { expect, test } from "bun:test";
import { cancelInFlight } from "../../src/comparison/session/in-flight.ts";
import { testServices } from "../harness.ts";
import { anOutcome } from "../outcomes.ts";
import { keep } from "../stored.ts";

test("a run that is cancelled again and again is asked once, and its log grows by one entry", async () => {
  const services = testServices();
  const session_id = "session-sample-20260102T030405001Z";
  await keep(services.store, anOutcome(session_id, { state: "running" }));
  let cancelled = 0;
  const done = new Promise<never>(() => undefined);
  const cancel = () => {
    cancelled += 1;
  };
  services.runs.add(session_id, { waits: () => false, doing: () => "running", over: () => false, cancel, done });
  const answers = await Promise.all([1, 2, 3].map(() => cancelInFlight(services, session_id)));
  expect(answers).toEqual([true, true, true]);
  expect(cancelled).toBe(1);
  const entries = await services.store.read(session_id);
  expect(entries.filter(({ entry }) => entry.type === "cancel_asked")).toHaveLength(1);
});
