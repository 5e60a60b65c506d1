import { everyVerdict } from "../../../domain/every-verdict.ts";
import type { SessionOutcome } from "../../../domain/session.ts";
import type { ArmPointer, Verdict } from "../../../domain/verdict.ts";
import { verdictHeadline } from "../../../domain/verdict-words.ts";
import { getSession } from "../api.ts";
import { type ShownArm, samePointer, shownArmOf } from "../evidence/shown-arm.ts";

/** A verdict and the two arms that it compares. */
export interface Comparison {
  readonly verdict: Verdict;
  readonly a: ShownArm;
  readonly b: ShownArm;
  /** Every verdict on the same two arms, oldest first. */
  readonly history: readonly Verdict[];
}

export const headlineWords = ({ verdict, a, b }: Comparison) => verdictHeadline(verdict, { a: a.name, b: b.name });

/** The named verdict. Without a name: the run's own, else that of the first rejudge. Undefined when there is none. */
export function chosenVerdict(session: SessionOutcome, verdict_id: string | null): Verdict | undefined {
  const all = everyVerdict(session);
  return verdict_id === null ? all[0] : all.find((verdict) => verdict.verdict_id === verdict_id);
}

/** Reads the other session too when the verdict compares arms of two. Undefined when an arm is gone. */
export async function comparisonOf(
  session: SessionOutcome,
  verdict: Verdict,
  signal: AbortSignal,
): Promise<Comparison | undefined> {
  const of = async (session_id: string) =>
    session_id === session.session_id ? session : await getSession(session_id, signal);
  const [sessionA, sessionB] = await Promise.all([of(verdict.arm_a.session_id), of(verdict.arm_b.session_id)]);
  const a = shownArmOf(sessionA, verdict.arm_a.arm_id, "a");
  const b = shownArmOf(sessionB, verdict.arm_b.arm_id, "b");
  return a && b && { verdict, a, b, history: verdictsOn(session, verdict.arm_a, verdict.arm_b) };
}

/** Every verdict in the session on these two arms in either order, oldest first. */
export const verdictsOn = (session: SessionOutcome, one: ArmPointer, other: ArmPointer): Verdict[] =>
  everyVerdict(session).filter(
    ({ arm_a, arm_b }) =>
      (samePointer(arm_a, one) && samePointer(arm_b, other)) || (samePointer(arm_a, other) && samePointer(arm_b, one)),
  );
