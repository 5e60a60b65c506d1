import type { CheckoutInput } from "./checkout-input.ts";
import { shutsGate } from "./editable-inputs.ts";
import { type Because, type Gated, gateOf } from "./pipeline-gate.ts";
import type { Side, Verdict } from "./verdict.ts";

interface Judged extends Pick<Verdict, "outcome" | "winner_side" | "decided_by"> {
  readonly arm_a: { readonly arm_id: string };
  readonly arm_b: { readonly arm_id: string };
  readonly kin_of?: Verdict["judge"]["kin_of"];
  readonly flags: readonly string[];
  readonly inputs_from_checkout?: readonly CheckoutInput[] | undefined;
}

/**
 * One run shows that something can happen, not how often: it opens a gate only where somebody asked for that, and then for the
 * winner alone. Equality opens none.
 * @param single somebody asked that this run be enough
 */
export function gateOfVerdict(judged: Judged, single: boolean): Gated {
  const { arm_a, arm_b, outcome, winner_side } = judged;
  const shut = shutBy(judged, single);
  const found = (side: Side) =>
    shut ?? (outcome !== "winner" ? "not_shown" : winner_side === side ? "better" : "worse");
  return gateOf({ a: arm_a.arm_id, b: arm_b.arm_id }, { a: found("a"), b: found("b") });
}

/** The gravest reason; null: the winner's gate opens. */
function shutBy({ flags, inputs_from_checkout, ...judged }: Judged, single: boolean): Because | null {
  if (shutsGate(inputs_from_checkout)) return "inputs_from_checkout";
  if (!single) return "single_run";
  const flag = SHUTTING.find(([one]) => flags.includes(one));
  if (flag) return flag[1];
  return isByKin(judged) ? "judge_kin" : null;
}

const SHUTTING = [
  ["check_could_not_run", "checks_could_not_run"],
  ["judge_failed_self_test", "judge_failed_self_test"],
  ["neither_solved", "nothing_solved"],
  ["no_contrast", "no_contrast"],
] as const;

/** Only scores decided, and the judge that gave them is kin of the winner alone. */
const isByKin = ({ decided_by, winner_side, kin_of }: Pick<Judged, "decided_by" | "winner_side" | "kin_of">) =>
  winner_side !== null && kin_of === winner_side && (decided_by === "judge" || decided_by === "measured");
