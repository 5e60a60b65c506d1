import { isFinal, type SessionState } from "./session-state.ts";
import type { Outcome, Side } from "./verdict.ts";

interface Trial {
  readonly state: SessionState;
  readonly outcome: Outcome | null;
  readonly winner_side: Side | null;
}

/** What a trial gave its series: who won, that nobody did, why it is missing, or how far it is. */
export function trialResult({ state, outcome, winner_side }: Trial, arms: Readonly<Record<Side, string>>): string {
  if (!isFinal(state)) return state;
  if (state !== "completed" || outcome === null) return `missing, ${state === "completed" ? "failed" : state}`;
  if (outcome === "invalid") return "missing, no usable judgement";
  return winner_side === null ? `no winner, ${outcome}` : `${arms[winner_side]} won`;
}
