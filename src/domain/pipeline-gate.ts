import { type Static, Type } from "@sinclair/typebox";
import { Count, nullable, oneOf, record } from "./schema.ts";

/**
 * What a gate of a pipeline asks for, in a verdict as in a series. An arm that is not named here is `null` as well, so that a
 * misspelt name keeps a gate shut.
 */
export const Gate = Type.Record(Type.String({ minLength: 1 }), nullable(oneOf(["better", "not_worse"])), {
  description:
    "By arm id: `better` for the arm that won or is preferred; `not_worse` where it is not worse by `not_worse_by`; otherwise, and with `judge_failed_self_test`, null, and nothing may pass. `gate_reasons` says why.",
});
export type Gate = Static<typeof Gate>;

export const GateLikeThese = Type.Record(Type.String({ minLength: 1 }), nullable(oneOf(["better"])), {
  description:
    "By arm id: `better` where `like_these` claims it and nothing shuts `gate` but that trials of these tasks are too few; else null.",
});

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
export type Because = (typeof GATE_REASONS)[number];

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

/** What a gate says of an arm, or why it is shut for it. */
export type GateOpening = "better" | "not_worse" | Because;

export interface Gated {
  readonly gate: Gate;
  readonly gate_reasons?: GateReasons;
}

type Arms = Readonly<Record<"a" | "b", string>>;

/**
 * A gate that is shut always says why. Two arms with one id, of different sessions, cannot be told apart by it.
 * @param needs pairs that would open it, where more would
 */
export function gateOf(
  { a, b }: Arms,
  found: Readonly<Record<"a" | "b", GateOpening>>,
  needs: number | null = null,
): Gated {
  const openings: Record<string, GateOpening> = a === b ? { [a]: "not_shown" } : { [a]: found.a, [b]: found.b };
  return gateOfAll(Object.entries(openings), () => needs);
}

/** The same of any number of arms. @param needsOf pairs that would open it for an arm, where more would */
export function gateOfAll(
  entries: readonly (readonly [arm: string, opening: GateOpening])[],
  needsOf: (arm: string) => number | null,
): Gated {
  const gate = Object.fromEntries(entries.map(([arm, opening]) => [arm, isOpen(opening) ? opening : null]));
  const shut = entries.flatMap(([arm, because]) =>
    isOpen(because) ? [] : [[arm, { because, needs: lacksPairs(because) ? needsOf(arm) : null }] as const],
  );
  return { gate, ...(shut.length > 0 && { gate_reasons: Object.fromEntries(shut) }) };
}

export const isOpen = (opening: GateOpening) => opening === "better" || opening === "not_worse";

/** Whether more pairs may show what these do not. */
export const lacksPairs = (opening: GateOpening) => opening === "not_shown" || opening === "few_pairs";
