import { MEMORY_SESSIONS } from "../domain/defaults.ts";
import { Failure } from "../domain/failure.ts";
import { isFinal } from "../domain/session.ts";
import type { SessionEntry } from "../domain/session-entry.ts";
import { fold } from "./fold.ts";
import { listingOf } from "./listing.ts";
import { memoryLedger } from "./memory-ledger.ts";
import { isLog } from "./read-session.ts";
import { memorySelfTests } from "./self-test-shelf.ts";
import { type LoggedEntry, type Run, type SessionQuery, type SessionStore, superseded } from "./store.ts";
import { Watchers } from "./watchers.ts";

interface Kept {
  readonly log: LoggedEntry[];
  attempt: number;
}

/** Keeps sessions until the process exits: all that run, and the `capacity` that ended last. */
export function memoryStore(capacity: number = MEMORY_SESSIONS): SessionStore {
  const sessions = new Map<string, Kept>();
  /** In the order in which they ended. */
  const ended = new Set<string>();
  const watchers = new Watchers();
  const push = ({ log, attempt }: Kept, entries: readonly SessionEntry[]) => {
    log.push(...entries.map((entry, index) => ({ n: log.length + index + 1, attempt, entry })));
  };
  const end = (session_id: string) => {
    const [first] = ended.add(session_id);
    if (first === undefined || ended.size <= capacity) return;
    ended.delete(first);
    sessions.delete(first);
  };
  return {
    persistent: false,
    ledger: memoryLedger(),
    ...memorySelfTests(capacity),
    async create(entry) {
      const { session_id, state } = entry.session;
      if (sessions.has(session_id)) return undefined;
      const session: Kept = { log: [], attempt: 1 };
      push(session, [structuredClone(entry)]);
      sessions.set(session_id, session);
      if (isFinal(state)) end(session_id);
      return { session_id, attempt: 1 };
    },
    async append({ session_id, attempt }: Run, entries) {
      const session = sessions.get(session_id);
      if (session?.attempt !== attempt || ended.has(session_id)) throw superseded(session_id);
      push(session, structuredClone(entries));
      if (entries.some(({ type }) => type === "ended")) end(session_id);
      watchers.wake(session_id);
    },
    async takeOver(session_id, at) {
      const session = sessions.get(session_id);
      if (session === undefined || ended.has(session_id)) return undefined;
      session.attempt += 1;
      push(session, [{ type: "attempt_started", at }]);
      watchers.wake(session_id);
      return { session_id, attempt: session.attempt };
    },
    async add(session_ids, entry) {
      const copy = structuredClone(entry);
      for (const session_id of session_ids) {
        const session = sessions.get(session_id);
        if (session) push(session, [copy]);
      }
      for (const session_id of session_ids) watchers.wake(session_id);
    },
    async read(session_id, from = 0) {
      return structuredClone(sessions.get(session_id)?.log.slice(from) ?? []);
    },
    async list({ scenario, state, limit, before }: SessionQuery = {}) {
      if (before !== undefined && !sessions.has(before))
        throw new Failure("unknown_session", `there is no session ${before}`);
      const newestFirst = [...sessions.values()].reverse().flatMap(({ log }) => {
        const entries = log.map(({ entry }) => entry);
        return isLog(entries) ? [listingOf(fold(entries))] : [];
      });
      const older = newestFirst.slice(newestFirst.findIndex(({ session_id }) => session_id === before) + 1);
      return older
        .filter((row) => (scenario ?? row.scenario) === row.scenario && (state ?? row.state) === row.state)
        .slice(0, limit);
    },
    watch: (session_id, wake) => watchers.watch(session_id, wake),
    [Symbol.dispose]() {
      sessions.clear();
    },
  };
}
