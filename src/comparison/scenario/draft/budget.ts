import type { Draft } from "../draft-scenario.ts";

/** Seconds that a scenario may give to a check or an arm. */
const MOST_SECONDS = 86_400;

/** Undefined for what is no time. */
export const secondsOf = (value: unknown): number | undefined =>
  typeof value === "number" && value > 0 ? Math.min(Math.ceil(value), MOST_SECONDS) : undefined;

/** The time that a task gives to an arm, if it says so. */
export function budgetOf(value: unknown): Pick<Draft, "max_seconds"> {
  const max_seconds = secondsOf(value);
  return max_seconds === undefined ? {} : { max_seconds };
}
