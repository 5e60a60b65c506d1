import { type Static, Type } from "@sinclair/typebox";
import { Count, nullable, oneOf, record } from "./schema.ts";

/** What a run uses, and the candidate may use less of. */
export const EFFICIENCY_FIGURES = ["cost_usd", "tokens_in", "tokens_out", "wall_ms", "turns"] as const;
export type EfficiencyFigure = (typeof EFFICIENCY_FIGURES)[number];

const Ratio = (description: string) => nullable(Type.Number({ minimum: 0 }), { description });

const UsedRatio = record("UsedRatio", {
  ratio: Ratio(
    "Total of the candidate over that of the control. Null without pairs, or where the control used nothing.",
  ),
  low: Ratio("Lower end of its range at 1 - alpha / 5; approximate, so null below 30 pairs."),
  high: Ratio("Upper end."),
  claim: nullable(oneOf(["lower", "higher"]), {
    description:
      "What is shown of the candidate at alpha / 5, valid at every look: it used less, or more, in most pairs, and in all of them together.",
  }),
  n: Count("Trials that count in which both arms' figures are known."),
});
export type UsedRatio = Static<typeof UsedRatio>;

export const Efficiency = record(
  "Efficiency",
  Object.fromEntries(EFFICIENCY_FIGURES.map((figure) => [figure, UsedRatio])) as Record<
    EfficiencyFigure,
    typeof UsedRatio
  >,
  { description: "What the candidate used over what the control used, pair by pair." },
);
