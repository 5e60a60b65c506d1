import { type Static, Type } from "@sinclair/typebox";
import type { CheckoutInput } from "./checkout-input.ts";
import { shutsGate } from "./editable-inputs.ts";
import { Count, nullable, oneOf, record } from "./schema.ts";
import type { Conclusion } from "./series-summary.ts";

/**
 * What a gate of a pipeline asks for, in a verdict as in a series. An arm that is not named here is `null` as well, so that a
 * misspelt name keeps a gate shut.
 */
export const Gate = Type.Record(Type.String({ minLength: 1 }), nullable(oneOf(["better", "not_worse"])), {
  description:
    "By arm id: `better` for the arm that won or is preferred; `not_worse` for both where they tie, or differ by no more than the margin; otherwise, and with `judge_failed_self_test`, null, and nothing may pass. `gate_reasons` says why.",
});
export type Gate = Static<typeof Gate>;

/** Why a gate is shut. */
const GATE_REASONS = [
  "not_shown",
  "worse",
  "lapsed",
  "means_disagree",
  "results_changed",
  "missing_trials",
  "other_trials_disagree",
  "judge_failed_self_test",
  "judge_kin",
  "no_contrast",
  "nothing_solved",
  "few_pairs",
  "no_variation",
  "checks_could_not_run",
  "selected_baseline",
  "single_run",
  "control",
  "cancelled",
  "inputs_from_checkout",
] as const;

export const GateReasons = Type.Optional(
  Type.Record(
    Type.String({ minLength: 1 }),
    record("GateReason", {
      because: oneOf(GATE_REASONS),
      needs: nullable(Count("Pairs that would open it for equal arms."), { description: "Null where none would." }),
    }),
    { description: "By arm id: why `gate` is null for it. Absent where no reason is known." },
  ),
);
type GateReasons = NonNullable<Static<typeof GateReasons>>;

interface Judged {
  readonly arm_a: { readonly arm_id: string };
  readonly arm_b: { readonly arm_id: string };
  readonly outcome: string;
  readonly winner_side: "a" | "b" | null;
  readonly flags: readonly string[];
  readonly inputs_from_checkout?: readonly CheckoutInput[] | undefined;
}

export function gateOfVerdict({ arm_a, arm_b, outcome, winner_side, flags, inputs_from_checkout }: Judged): Gated {
  const found = outcome === "winner" ? winner_side : outcome === "tie" ? "level" : null;
  return gated({ a: arm_a.arm_id, b: arm_b.arm_id }, found, { flags, shut: shutsGate(inputs_from_checkout) });
}

/** `shut`: the author of the change could have made up what was compared. */
export const gateOfSeries = (arms: Arms, conclusion: Conclusion, doubted: Doubted): Gated =>
  gated(arms, FOUND[conclusion], doubted);

type Arms = Readonly<Record<"a" | "b", string>>;
type Found = "a" | "b" | "level" | null;

interface Gated {
  readonly gate: Gate;
  readonly gate_reasons?: GateReasons;
}

interface Doubted {
  readonly flags: readonly string[];
  readonly shut: boolean;
}

/** A judge that was wrong where the right answer is known opens no gate, whatever decided beside it. */
function gated(arms: Arms, found: Found, { flags, shut }: Doubted): Gated {
  const gate = gateOf(arms, shut || flags.includes("judge_failed_self_test") ? null : found);
  if (!shut) return { gate };
  const reason = { because: "inputs_from_checkout", needs: null } as const;
  return { gate, gate_reasons: { [arms.a]: reason, [arms.b]: reason } };
}

const FOUND = { a_preferred: "a", b_preferred: "b", no_difference_above_margin: "level", undecided: null } as const;

/** Two arms with one id, of different sessions, cannot be told apart by it. */
function gateOf({ a, b }: Arms, found: Found): Gate {
  if (found === "level") return { [a]: "not_worse", [b]: "not_worse" };
  const isBetter = (side: "a" | "b") => (found === side && a !== b ? ("better" as const) : null);
  return { [a]: isBetter("a"), [b]: isBetter("b") };
}
