import type { ArmPointer } from "../../../domain/verdict.ts";
import type { ShownArm } from "../evidence/shown-arm.ts";

/** Two arms beside each other, of one session or of two. */
export type ArmPair = readonly [ShownArm, ShownArm];

/** Names a pair of arms. */
export const pairKey = (...pair: readonly ArmPointer[]): string =>
  pair.map(({ session_id, arm_id }) => `${session_id}/${arm_id}`).join(" ");
