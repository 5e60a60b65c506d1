import type { SessionServices } from "../src/comparison/planning/services.ts";
import type { Decision } from "../src/domain/decision.ts";
import { isFinal, type SessionOutcome } from "../src/domain/session.ts";
import type { CreatedEntry, RunEntry } from "../src/domain/session-entry.ts";
import type { Run, SessionStore } from "../src/store/store.ts";
import { anOutcome } from "./outcomes.ts";

export function createdEntry({ decisions: _decisions, verdicts: _verdicts, ...session }: SessionOutcome): CreatedEntry {
  return { type: "created", session };
}

/** Begins the log of a session. @throws when its id is taken */
export async function begin(store: SessionStore, outcome: SessionOutcome): Promise<Run> {
  const run = await store.create(createdEntry(outcome));
  if (run === undefined) throw new Error(`${outcome.session_id} is taken`);
  return run;
}

export const COMPLETED: RunEntry = {
  type: "ended",
  at: "2026-01-02T03:04:06.000Z",
  state: "completed",
  failure: null,
};

/** Stores a session as it is: its decisions, how it ended, its verdicts. */
export async function keep(store: SessionStore, outcome: SessionOutcome): Promise<void> {
  const { session_id, state, decisions, verdicts } = outcome;
  // What has ended takes no decision any more.
  const run = await begin(store, isFinal(state) ? { ...outcome, state: "judging" } : outcome);
  const logged = Object.entries(decisions).flatMap(([arm_id, log]) =>
    log.map((decision): RunEntry => ({ type: "decision", arm_id, decision })),
  );
  if (isFinal(state)) {
    const at = outcome.finished_at ?? outcome.created_at;
    logged.push({ type: "ended", at, state, failure: outcome.failure } as RunEntry);
  }
  if (logged.length > 0) await store.append(run, logged, "durable");
  for (const verdict of verdicts) await store.add([session_id], { type: "judged", verdict });
}

export interface OpenRun {
  decide(decision: Decision): Promise<void>;
  end(): Promise<void>;
}

/** A session that runs as long as the test wants. */
export async function openRun(
  { store, runs }: Pick<SessionServices, "store" | "runs">,
  session_id: string,
): Promise<OpenRun> {
  const run = await begin(store, anOutcome(session_id, { state: "running" }));
  const { promise: done, resolve } = Promise.withResolvers<SessionOutcome>();
  let isOver = false;
  const waits = () => false;
  const doing = () => "running";
  runs.add(session_id, { waits, doing, over: () => isOver, cancel: () => undefined, done });
  return {
    async decide(decision) {
      await store.append(run, [{ type: "decision", arm_id: "left", decision }], "written");
    },
    async end() {
      await store.append(run, [COMPLETED], "durable");
      isOver = true;
      runs.delete(session_id);
      resolve(anOutcome(session_id));
    },
  };
}
