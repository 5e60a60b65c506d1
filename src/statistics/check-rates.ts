import { wilson } from "../domain/binomial.ts";
import type { Series } from "../domain/series.ts";
import type { PassedCount, SeriesCheck } from "../domain/series-arm.ts";

interface CheckRate extends SeriesCheck {
  readonly scenario: string;
}

/** Lines of a table of rates. */
export const CHECK_RATES = 100;

/** How often each hidden check passed, for each arm: over all rows of a scenario's inputs, as they share their checks. */
export function checkRates(scenarios: Series["scenarios"]): readonly CheckRate[] {
  const rates = new Map<string, CheckRate>();
  for (const { scenario, checks } of scenarios)
    for (const { id, a, b } of checks) {
      const key = `${scenario} ${id}`;
      const before = rates.get(key);
      rates.set(key, { scenario, id, a: together(before?.a, a), b: together(before?.b, b) });
    }
  return [...rates.values()];
}

function together(one: PassedCount | null | undefined, other: PassedCount | null): PassedCount | null {
  if (!one || !other) return one ?? other;
  const [passed, trials] = [one.passed + other.passed, one.trials + other.trials];
  return { passed, trials, ...wilson(passed, trials) };
}
