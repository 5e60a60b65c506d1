import type { Conclusion } from "../../domain/series-summary.ts";
import type { Side } from "../../domain/verdict.ts";
import { named } from "../format.ts";

export interface Concluded {
  readonly conclusion: Conclusion;
  /** Ids of arms a and b. */
  readonly arms: Readonly<Record<Side, string>>;
}

const SIDES: Partial<Record<Conclusion, Side>> = { a_preferred: "a", b_preferred: "b" };

/** Who is preferred; undefined for nobody. */
export const sideOf = (conclusion: Conclusion): Side | undefined => SIDES[conclusion];

const WITHOUT_SIDE = {
  undecided: "No preference can be stated",
  no_difference_above_margin: "No difference above the margin",
} as Readonly<Record<Conclusion, string>>; // the others have a side

/** Who is preferred, or what cannot be said. */
export function conclusionText({ conclusion, arms }: Concluded): string {
  const side = sideOf(conclusion);
  return side ? `${arms[side]} is preferred` : named(WITHOUT_SIDE, conclusion);
}
