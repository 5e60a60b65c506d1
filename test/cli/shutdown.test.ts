import { expect, test } from "bun:test";
import { once } from "node:events";
import { Register, type RunInFlight } from "../../src/comparison/planning/services.ts";
import { Failure } from "../../src/domain/failure.ts";
import { untilStopped } from "../../src/doors/cli/services/shutdown.ts";
import { AtWork } from "../../src/doors/http/at-work.ts";
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
  await stopping({ runs });
  expect(cancelled).toEqual(["first", "late"]);
});

interface Stop {
  readonly runs?: Register<RunInFlight>;
  readonly streams?: EventStreams;
  readonly pending?: () => number;
  readonly at_work?: AtWork;
  readonly grace_ms?: number;
}

/** A server that was told to stop, until it has. */
const stopping = ({ runs = new Register(), pending = () => 0, grace_ms = 0, ...stop }: Stop) =>
  untilStopped({
    ...{ streams: new EventStreams(), at_work: new AtWork(), ...stop },
    signal: Promise.resolve("SIGINT"),
    listening: {
      ...{ url: "", port: undefined, close: async () => undefined },
      get pending() {
        return pending();
      },
    },
    services: { runs, series: new Register(), notice: () => undefined, clock: systemClock, shared: undefined },
    leave_ms: 0,
    ...{ leaving: new AbortController(), stopping: new AbortController(), abandoned: new AbortController() },
    grace_ms,
  });

test("only work is waited for: a reader who takes nothing keeps no server for its grace, and neither does an answer that nobody takes", async () => {
  const streams = new EventStreams();
  const quiet = async function* (signal: AbortSignal) {
    await once(signal, "abort");
    yield* [];
  };
  const { body } = streams.open("session-x-20260101T000000000Z", quiet, { ids: false, idleTimeout: () => undefined });
  await stopping({ streams, pending: () => 2, grace_ms: 3_600_000 });
  expect(streams.readers).toBe(0);
  expect((await body?.getReader().read())?.done).toBe(true);
});

test("an answer that still leaves when all work is done is waited for", async () => {
  let looks = 0;
  await stopping({ pending: () => (looks++ < 10 ? 1 : 0) });
  expect(looks).toBeGreaterThan(10);
});

test("a request that is worked on is waited for, as long as work may go on", async () => {
  const at_work = new AtWork();
  const answer = Promise.withResolvers<void>();
  let looks = 0;
  const runs = Object.assign(new Register<RunInFlight>(), {
    all() {
      looks += 1;
      if (looks === 10) answer.resolve();
      return [];
    },
  });
  const worked = at_work.on(() => answer.promise);
  await stopping({ runs, at_work, grace_ms: 3_600_000 });
  await worked;
  expect(at_work.count).toBe(0);
});

test("a register that was closed cancels whatever comes later", () => {
  const runs = new Register<Pick<RunInFlight, "cancel">>();
  const cancelled: string[] = [];
  const run = (id: string) => ({ cancel: ({ code }: Failure) => void cancelled.push(`${id} ${code}`) });
  runs.add("first", run("first"));
  runs.close(new Failure("interrupted", "It was stopped."));
  runs.add("late", run("late"));
  expect(cancelled).toEqual(["first interrupted", "late interrupted"]);
});
