import { isMarginAsked } from "../../domain/series-answer.ts";
import type { Side } from "../../domain/verdict.ts";
import type { Subject } from "../words/subject.ts";
import type { Levels } from "./conclusion.ts";
import { type Findings, totalMissing } from "./findings.ts";
import type { Standing } from "./forecast.ts";
import { roundsToStart, type Tally } from "./tally.ts";

/** What ends a series beside a claim. */
interface StoppingRule {
  /** The candidate, where it may be not worse. */
  readonly not_worse?: Side;
  /** Somebody asks with a margin of their own. */
  readonly equivalence: boolean;
}

export function stoppingRuleOf({ told, control_side, levels, measure }: Subject): StoppingRule {
  if (levels.rules?.lapses === false) return { equivalence: true };
  if (told.limits?.stop_at === "better") return { equivalence: false };
  const isAsked = levels.not_worse_by !== undefined && measure !== "score";
  return { equivalence: isMarginAsked(levels), ...(isAsked && { not_worse: control_side === "a" ? "b" : "a" }) };
}

/** What a forecast needs: every trial that is missing by now will be before those that come. */
export function awaitedIn(
  findings: Findings,
  trials: number,
): { readonly standing: Standing; readonly levels: Levels } {
  const { subject, sequential, tallies } = findings;
  const { counts, uncertain, log_e } = sequential;
  const { equivalence, ...rule } = stoppingRuleOf(subject);
  const left = trialsLeft(tallies, trials, log_e.length);
  return {
    standing: { counts, uncertain: { ...uncertain, missing: totalMissing(findings) }, left, ...rule },
    levels: equivalence ? subject.levels : { ...subject.levels, margin: 0 },
  };
}

/** Trials that can still count, of all scenarios together: the one that has lost most trials ends the last round. */
function trialsLeft(tallies: readonly Tally[], trials: number, rounds: number): number {
  const going = tallies.filter(({ given_up }) => !given_up);
  const possible = going.map(
    (tally) => tally.counted.length + tally.waiting + tally.running + roundsToStart(tally, trials).length,
  );
  return going.length === 0 ? 0 : (Math.min(...possible) - rounds) * going.length;
}
