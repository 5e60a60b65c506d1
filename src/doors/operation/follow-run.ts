import type { RunEvent } from "../../domain/event.ts";
import type { ArmStatus } from "../../domain/session.ts";
import type { SessionEntry, SessionLog } from "../../domain/session-entry.ts";
import { ownTurn } from "../../runtime/pace.ts";
import { fold, lastBeginning } from "../../store/fold.ts";
import type { LoggedEntry, SessionStore } from "../../store/store.ts";

/** An event and the place of its entry in the log. */
export interface Announcement extends Pick<LoggedEntry, "n" | "attempt"> {
  readonly event: RunEvent;
}

/**
 * What the log of a session announces: everything of its last attempt so far, then what comes, to its end; the decisions of a
 * later attempt bear its number. `signal` ends it earlier; `over` settles when nobody here runs it any more, and another process
 * need not have written an end. Nothing for a session that is not there.
 */
export async function* followRun(
  store: Pick<SessionStore, "read" | "watch">,
  session_id: string,
  signal?: AbortSignal,
  over?: Promise<unknown>,
): AsyncGenerator<Announcement, void, void> {
  const telling: SessionEntry[] = [];
  for await (const { n, attempt, entry } of entriesOf(store, session_id, signal, over)) {
    if (entry.type !== "decision") telling.push(entry);
    const event = eventOf(session_id, entry, { attempt, telling });
    if (event) yield { n, attempt, event };
    // A verdict that is asked for later is not the run's.
    if (entry.type === "ended") return;
  }
}

async function* entriesOf(
  store: Pick<SessionStore, "read" | "watch">,
  session_id: string,
  signal: AbortSignal | undefined,
  over: Promise<unknown> | undefined,
): AsyncGenerator<LoggedEntry, void, void> {
  let woken = Promise.withResolvers<void>();
  const wake = () => woken.resolve();
  const unwatch = store.watch(session_id, wake);
  signal?.addEventListener("abort", wake, { once: true });
  let isOver = false;
  const end = () => {
    isOver = true;
    wake();
  };
  void over?.then(end, end);
  try {
    for (let from = 0; !signal?.aborted; ) {
      woken = Promise.withResolvers<void>();
      const last = isOver;
      const read = await readTogether(store, session_id, from);
      yield* read.entries;
      // Every session has an entry from its start.
      if (read.n === 0 || (last && read.n === from)) return;
      if (read.n === from) await woken.promise;
      from = read.n;
    }
  } finally {
    unwatch();
    signal?.removeEventListener("abort", wake);
  }
}

interface ReadOn {
  readonly entries: readonly LoggedEntry[];
  /** Number of the last entry, also of one that is left out. */
  readonly n: number;
}

type Reader = Pick<SessionStore, "read">;

/** What is about to be read, by session and place. */
const reads = new WeakMap<Reader, Map<string, Promise<ReadOn>>>();

/** Hundreds of readers are woken at once by one entry: it is read once for all of them, and then each has a turn of its own. */
async function readTogether(store: Reader, session_id: string, from: number): Promise<ReadOn> {
  const waiting = reads.get(store) ?? new Map<string, Promise<ReadOn>>();
  reads.set(store, waiting);
  const place = `${from} ${session_id}`;
  const shared = waiting.get(place);
  if (shared) return await shared.finally(ownTurn);
  const own = ownTurn().then(async () => {
    // Whoever comes from here on may have been woken by a later entry.
    waiting.delete(place);
    const entries = await store.read(session_id, from);
    return { entries: withoutLost(entries), n: entries.at(-1)?.n ?? from };
  });
  waiting.set(place, own);
  return await own;
}

/** Leaves out what arms did in an attempt that is lost. */
function withoutLost(entries: readonly LoggedEntry[]): readonly LoggedEntry[] {
  const start = lastBeginning(entries.map(({ entry }) => entry));
  return entries.filter(({ entry: { type } }, at) => at >= start || (type !== "decision" && type !== "arm_ended"));
}

interface Told {
  readonly attempt: number;
  /** All entries but the decisions, this one included. */
  readonly telling: readonly SessionEntry[];
}

/** The events of entries that several readers share. */
const shared_events = new WeakMap<SessionEntry, RunEvent>();

/** The event that announces an entry; undefined for most. Those who read it together have the same one. */
function eventOf(session_id: string, entry: SessionEntry, told: Told): RunEvent | undefined {
  const event = shared_events.get(entry) ?? madeOf(session_id, entry, told);
  if (event) shared_events.set(entry, event);
  return event;
}

function madeOf(session_id: string, entry: SessionEntry, { attempt, telling }: Told): RunEvent | undefined {
  if (entry.type === "decision") {
    const { arm_id, decision } = entry;
    return { event: "decision", session_id, arm_id, decision, ...(attempt > 1 && { attempt }) };
  }
  if (entry.type === "arm_ended" && !CUT_SHORT.has(entry.summary.status))
    return { event: "arm_finished", session_id, arm_id: entry.arm_id };
  return entry.type === "ended" ? endOf(session_id, telling as SessionLog) : undefined;
}

/** The statuses of an arm that something else ended. */
const CUT_SHORT: ReadonlySet<ArmStatus> = new Set(["failed", "cancelled"]);

function endOf(session_id: string, log: SessionLog): RunEvent | undefined {
  const { verdict, failure } = fold(log);
  if (failure === null) return verdict ? { event: "verdict_ready", session_id, verdict } : undefined;
  const { stage, code, message, retryable } = failure;
  return { event: "session_failed", session_id, stage, code, message, retryable };
}
