import type { Decision } from "../domain/decision.ts";
import { MEMORY_SESSIONS } from "../domain/defaults.ts";
import type { SessionOutcome } from "../domain/session.ts";
import type { Verdict } from "../domain/verdict.ts";
import { memoryLedger } from "./memory-ledger.ts";
import type { SessionStore } from "./store.ts";

/** Keeps the last sessions of this process until it exits; lists none (spec part 4: empty without a state directory). */
export function memoryStore(capacity: number = MEMORY_SESSIONS): SessionStore {
  const outcomes = new Map<string, SessionOutcome>();
  const logs = new Map<string, Record<string, Decision[]>>();
  const verdicts = new Map<string, Verdict[]>();
  const forgetOldest = () => {
    const [oldest] = outcomes.keys();
    if (oldest === undefined || outcomes.size <= capacity) return;
    outcomes.delete(oldest);
    logs.delete(oldest);
    verdicts.delete(oldest);
  };
  return {
    persistent: false,
    ledger: memoryLedger(),
    create(outcome) {
      if (outcomes.has(outcome.session_id)) return false;
      outcomes.set(outcome.session_id, outcome);
      logs.set(outcome.session_id, Object.fromEntries(outcome.arms.map(({ arm_id }) => [arm_id, []])));
      verdicts.set(outcome.session_id, []);
      forgetOldest();
      return true;
    },
    append(session_id, arm_id, decision) {
      logs.get(session_id)?.[arm_id]?.push(decision);
    },
    save(outcome) {
      if (outcomes.has(outcome.session_id)) outcomes.set(outcome.session_id, outcome);
    },
    addVerdict(session_id, verdict) {
      verdicts.get(session_id)?.push(verdict);
    },
    async committed() {},
    async durable() {},
    get(session_id) {
      const outcome = outcomes.get(session_id);
      const appended = { decisions: logs.get(session_id) ?? {}, verdicts: verdicts.get(session_id) ?? [] };
      return outcome && structuredClone({ ...outcome, ...appended });
    },
    list: () => [],
    [Symbol.dispose]() {
      outcomes.clear();
      logs.clear();
      verdicts.clear();
    },
  };
}
