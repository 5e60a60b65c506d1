import { expect, test } from "bun:test";
import { Register, type RunInFlight } from "../../src/comparison/planning/services.ts";
import { untilStopped } from "../../src/doors/cli/services/shutdown.ts";
import { EventStreams } from "../../src/doors/http/event-stream.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { anOutcome } from "../outcomes.ts";

/** Handlers of signals that the test has not put there are left. */
function withoutSignalHandlers(): Disposable {
  const names = ["SIGTERM", "SIGINT"] as const;
  const before = names.map((name) => new Set(process.listeners(name)));
  return {
    [Symbol.dispose]() {
      for (const [index, name] of names.entries())
        for (const listener of process.listeners(name))
          if (!before[index]?.has(listener)) process.removeListener(name, listener);
    },
  };
}

test("a run that starts while the others are stopped is stopped too", async () => {
  using _signals = withoutSignalHandlers();
  const runs = new Register<RunInFlight>();
  const cancelled: string[] = [];
  const add = (session_id: string, atCancel: () => void): void => {
    const run: RunInFlight = {
      waits: () => false,
      doing: () => "running",
      over: () => false,
      cancel() {
        cancelled.push(session_id);
        atCancel();
        runs.delete(session_id);
      },
      done: Promise.resolve(anOutcome(session_id)),
    };
    runs.add(session_id, run);
  };
  add("first", () => add("late", () => undefined));
  await untilStopped({
    signal: Promise.resolve("SIGINT"),
    listening: {
      url: "",
      port: undefined,
      pending: 0,
      close: async () => undefined,
    },
    streams: new EventStreams(),
    services: { runs, series: new Register(), notice: () => undefined, clock: systemClock, shared: undefined },
    leave_ms: 0,
    leaving: new AbortController(),
    stopping: new AbortController(),
    abandoned: new AbortController(),
    grace_ms: 0,
  });
  expect(cancelled).toEqual(["first", "late"]);
});
