import type { Decision } from "../../domain/decision.ts";
import type { ArmSummary, SessionOutcome } from "../../domain/session.ts";
import type { ArmPointer, Side } from "../../domain/verdict.ts";

/** One arm as a page shows it: which side, under which name, and what it left behind. */
export interface Contestant {
  readonly side: Side;
  /** Its id, or a neutral name for a reader who is to vote blind. */
  readonly name: string;
  readonly session: SessionOutcome;
  readonly arm: ArmSummary;
  readonly decisions: readonly Decision[];
}

/** Undefined when the session has no such arm. */
export function contestantOf(session: SessionOutcome, arm_id: string, side: Side): Contestant | undefined {
  const arm = session.arms.find((candidate) => candidate.arm_id === arm_id);
  return arm && { side, name: arm_id, session, arm, decisions: session.decisions[arm_id] ?? [] };
}

export function contestantsOf(session: SessionOutcome): readonly [Contestant, Contestant] {
  const [first, second] = session.arms;
  const of = (arm: ArmSummary, side: Side): Contestant => ({
    side,
    name: arm.arm_id,
    session,
    arm,
    decisions: session.decisions[arm.arm_id] ?? [],
  });
  return [of(first, "a"), of(second, "b")];
}

export const pointerTo = ({ session, arm }: Contestant): ArmPointer => ({
  session_id: session.session_id,
  arm_id: arm.arm_id,
});

export const samePointer = (one: ArmPointer, other: ArmPointer) =>
  one.session_id === other.session_id && one.arm_id === other.arm_id;
