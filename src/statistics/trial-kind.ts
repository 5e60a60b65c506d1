import type { SeriesTrial } from "../domain/series-trial.ts";
import { isFinal } from "../domain/session-state.ts";
import type { Side } from "../domain/verdict.ts";

/** What a trial is for the series. `held`: it is done, and does not count. `copy`: it repeats one that counts. */
const TRIAL_KINDS = ["a", "b", "none", "missing", "held", "copy", "running"] as const;
export type TrialKind = (typeof TRIAL_KINDS)[number];

export function kindOf({ state, d, counted, copy }: SeriesTrial): TrialKind {
  if (!isFinal(state)) return "running";
  if (d === null) return "missing";
  if (copy) return "copy";
  if (!counted) return "held";
  if (d === 0) return "none";
  return d > 0 ? "a" : "b";
}

/** One character for each, so that no reader needs the colour. */
export const TRIAL_MARKS: Readonly<Record<TrialKind, string>> = {
  ...{ a: "A", b: "B", none: "=", missing: "✕", held: "‖", copy: "·", running: "…" },
};

export const HELD_TEXT = "in or behind an incomplete round";

/** What the marks of some trials mean, with how many of each kind there are. */
export function legendOf(
  trials: readonly SeriesTrial[],
  arms: Readonly<Record<Side, string>>,
): readonly { readonly kind: TrialKind; readonly text: string }[] {
  const counts = Map.groupBy(trials, kindOf);
  const names: Record<TrialKind, string> = {
    a: `${arms.a} won`,
    b: `${arms.b} won`,
    none: "no winner",
    missing: "missing",
    held: HELD_TEXT,
    copy: "copy of another",
    running: "running",
  };
  return TRIAL_KINDS.flatMap((kind) => {
    const own = counts.get(kind);
    return own ? [{ kind, text: `${names[kind]}: ${own.length}` }] : [];
  });
}
