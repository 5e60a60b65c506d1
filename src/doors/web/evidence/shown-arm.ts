import type { Decision } from "../../../domain/decision.ts";
import type { ArmSummary, SessionOutcome } from "../../../domain/session.ts";
import type { ArmPointer, Side } from "../../../domain/verdict.ts";

/** One arm as a page shows it. */
export interface ShownArm {
  readonly side: Side;
  /** Its id, or a neutral name before a blind vote. */
  readonly name: string;
  readonly session: SessionOutcome;
  readonly arm: ArmSummary;
  readonly decisions: readonly Decision[];
}

/** Undefined when the session has no such arm. */
export function shownArmOf(session: SessionOutcome, arm_id: string, side: Side): ShownArm | undefined {
  const arm = session.arms.find((candidate) => candidate.arm_id === arm_id);
  return arm && shown(session, arm, side);
}

export const shownArmsOf = (session: SessionOutcome): readonly [ShownArm, ShownArm] => [
  shown(session, session.arms[0], "a"),
  shown(session, session.arms[1], "b"),
];

function shown(session: SessionOutcome, arm: ArmSummary, side: Side): ShownArm {
  const { arm_id } = arm;
  return { side, name: arm_id, session, arm, decisions: session.decisions[arm_id] ?? [] };
}

export const pointerTo = ({ session: { session_id }, arm: { arm_id } }: ShownArm): ArmPointer => ({
  session_id,
  arm_id,
});

export const samePointer = (one: ArmPointer, other: ArmPointer) =>
  one.session_id === other.session_id && one.arm_id === other.arm_id;

/** Whether the arm left what a judge needs; the server refuses the others. */
export const isJudgeable = ({ arm: { changes, probe }, session }: ShownArm) =>
  changes !== null && (probe !== null || session.definition.task.probe === null);

/** Whether the final answer is the work, or part of it. */
export const isAnswerTheWork = (arms: readonly ShownArm[]) =>
  arms.some(({ session }) => session.definition.task.answer === true);

/** False where the answer is the work and both arms are known to have changed no file, which is no news then. */
export const areChangesNews = (arms: readonly ShownArm[]) =>
  !isAnswerTheWork(arms) ||
  arms.some(({ arm: { changes } }) => {
    if (changes === null || typeof changes.unknown === "string") return true;
    return changes.truncated || changes.files.length > 0 || (changes.mode_changed ?? []).length > 0;
  });

/** Two arms beside each other, of one session or of two. */
export type ArmPair = readonly [ShownArm, ShownArm];

/** Names a pair of arms. */
export const pairKey = (...pair: readonly ArmPointer[]): string =>
  pair.map(({ session_id, arm_id }) => `${session_id}/${arm_id}`).join(" ");
