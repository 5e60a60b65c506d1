import { type Static, Type } from "@sinclair/typebox";
import { nullable, oneOf } from "./schema.ts";
import type { Conclusion } from "./series-summary.ts";

/**
 * What a gate of a pipeline asks for, in a verdict as in a series. An arm that is not named here is `null` as well, so that a
 * misspelt name keeps a gate shut.
 */
export const Gate = Type.Record(Type.String({ minLength: 1 }), nullable(oneOf(["better", "not_worse"])), {
  description:
    "By arm id: `better` for the arm that won or is preferred; `not_worse` for both where they tie, or differ by no more than the margin; otherwise, and with `judge_failed_self_test`, null, and nothing may pass.",
});
export type Gate = Static<typeof Gate>;

interface Judged {
  readonly arm_a: { readonly arm_id: string };
  readonly arm_b: { readonly arm_id: string };
  readonly outcome: string;
  readonly winner_side: "a" | "b" | null;
  readonly flags: readonly string[];
}

export function gateOfVerdict({ arm_a, arm_b, outcome, winner_side, flags }: Judged): Gate {
  const found = outcome === "winner" ? winner_side : outcome === "tie" ? "level" : null;
  return gateOf({ a: arm_a.arm_id, b: arm_b.arm_id }, trusted(found, flags));
}

export const gateOfSeries = (arms: Arms, conclusion: Conclusion, flags: readonly string[]): Gate =>
  gateOf(arms, trusted(FOUND[conclusion], flags));

type Arms = Readonly<Record<"a" | "b", string>>;
type Found = "a" | "b" | "level" | null;

/** A judge that was wrong where the right answer is known opens no gate, whatever decided beside it. */
const trusted = (found: Found, flags: readonly string[]): Found =>
  flags.includes("judge_failed_self_test") ? null : found;

const FOUND = { a_preferred: "a", b_preferred: "b", no_difference_above_margin: "level", undecided: null } as const;

/** Two arms with one id, of different sessions, cannot be told apart by it. */
function gateOf({ a, b }: Arms, found: Found): Gate {
  if (found === "level") return { [a]: "not_worse", [b]: "not_worse" };
  const isBetter = (side: "a" | "b") => (found === side && a !== b ? ("better" as const) : null);
  return { [a]: isBetter("a"), [b]: isBetter("b") };
}
