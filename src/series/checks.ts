import type { PassedCount, SeriesCheck } from "../domain/series.ts";
import type { TrialArm, TrialRow } from "../domain/trial.ts";
import { SIDES } from "../domain/verdict.ts";
import { wilson } from "../domain/wilson.ts";

/** How often each check passed, of the runs that were completed, whatever the judge made of them. In the scenario's order. */
export function checksOf(rows: readonly TrialRow[]): SeriesCheck[] {
  const arms = rows.filter(({ state }) => state === "completed").map((row) => row.arms);
  const ids = new Set(arms.flatMap((both) => SIDES.flatMap((side) => Object.keys(both[side].checks ?? {}))));
  const [a, b] = [arms.map((both) => both.a), arms.map((both) => both.b)];
  return [...ids].map((id) => ({ id, a: passedOf(a, id), b: passedOf(b, id) }));
}

function passedOf(arms: readonly TrialArm[], id: string): PassedCount | null {
  // An id may be the name of something that every object has.
  const known = arms.flatMap(({ checks = {} }) => (Object.hasOwn(checks, id) ? [checks[id]] : []));
  if (known.length === 0) return null;
  const [passed, trials] = [known.filter(Boolean).length, known.length];
  return { passed, trials, ...wilson(passed, trials) };
}
