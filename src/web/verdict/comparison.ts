import type { SessionOutcome } from "../../domain/session.ts";
import type { Verdict } from "../../domain/verdict.ts";
import { getSession } from "../api.ts";
import { type Contestant, contestantOf, samePointer } from "../evidence/contestant.ts";

/** A verdict with everything that it speaks of. */
export interface Comparison {
  readonly verdict: Verdict;
  readonly a: Contestant;
  readonly b: Contestant;
  /** Every verdict on the same two arms, oldest first. */
  readonly history: readonly Verdict[];
}

export const verdictsOf = ({ verdict, verdicts }: SessionOutcome): Verdict[] => {
  const all = verdict ? [verdict, ...verdicts] : verdicts;
  return [...new Map(all.map((each) => [each.verdict_id, each])).values()];
};

/** The named verdict, or the run's own, or the first that a rejudge gave; undefined when there is none. */
export function chosenVerdict(session: SessionOutcome, verdict_id: string | null): Verdict | undefined {
  const all = verdictsOf(session);
  return verdict_id === null ? all[0] : all.find((verdict) => verdict.verdict_id === verdict_id);
}

/** Reads the other session, when the verdict compares two. */
export async function comparisonOf(
  session: SessionOutcome,
  verdict: Verdict,
  signal: AbortSignal,
): Promise<Comparison | undefined> {
  const of = async (session_id: string) =>
    session_id === session.session_id ? session : await getSession(session_id, signal);
  const [sessionA, sessionB] = await Promise.all([of(verdict.arm_a.session_id), of(verdict.arm_b.session_id)]);
  const a = contestantOf(sessionA, verdict.arm_a.arm_id, "a");
  const b = contestantOf(sessionB, verdict.arm_b.arm_id, "b");
  return a && b && { verdict, a, b, history: historyOf(session, verdict) };
}

function historyOf(session: SessionOutcome, verdict: Verdict): Verdict[] {
  return verdictsOf(session).filter(
    (other) =>
      (samePointer(other.arm_a, verdict.arm_a) && samePointer(other.arm_b, verdict.arm_b)) ||
      (samePointer(other.arm_a, verdict.arm_b) && samePointer(other.arm_b, verdict.arm_a)),
  );
}
