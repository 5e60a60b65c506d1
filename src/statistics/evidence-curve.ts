import type { Series } from "../domain/series.ts";

/** Evidence at the start and after each complete round. Every scenario has one counted trial in each. */
export const evidenceCurve = ({ trials, scenarios }: Pick<Series, "trials" | "scenarios">): readonly number[] => [
  1,
  ...trials.flatMap(({ scenario, e_after }) =>
    scenario === scenarios[0]?.scenario && e_after !== null ? [e_after] : [],
  ),
];

export const tickText = (tick: number): string => (tick >= 0.001 && tick < 1e6 ? `${tick}` : tick.toExponential());
