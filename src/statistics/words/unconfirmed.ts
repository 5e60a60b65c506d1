import { counted } from "../../domain/number-text.ts";
import { isFinal } from "../../domain/session-state.ts";
import { evidenceOf, type Findings } from "../claim/findings.ts";
import type { Pool } from "../claim/pool.ts";
import { conclusionOf, type SequentialTest } from "../claim/sequential-test.ts";
import { missingOf } from "../claim/tally.ts";
import { evidenceText, limitText } from "../figure-text.ts";
import type { Subject } from "./subject.ts";

/** What the series alone would show, what all stored trials show, and that nothing is concluded for that. */
export function unconfirmed({ subject, sequential, pool }: Findings): readonly string[] {
  if (pool === null) return [];
  const open = pool.tallies.flatMap(({ rows }) => rows).filter(({ state }) => !isFinal(state)).length;
  return [
    `Nothing is concluded: this series alone would ${shown(subject, sequential)}, but ${allText(subject, pool, open > 0)} together do not.`,
    ...figures(subject, pool.sequential),
    ...against(subject, pool),
    ...(open === 0
      ? []
      : [`A trial waits for those that began before it: ${open} still ${open === 1 ? "runs" : "run"}.`]),
  ];
}

function allText({ scenarios }: Subject, { sequential }: Pool, isOpen: boolean): string {
  const trials = counted(sequential.log_e.length * scenarios.length, "stored trial");
  const of = scenarios.length === 1 ? "of this comparison" : "of these comparisons, in complete rounds,";
  return isOpen ? `the ${trials} ${of} that count so far` : `all ${trials} ${of}`;
}

function figures({ arms, told }: Subject, { counts, log_e }: SequentialTest): readonly string[] {
  const last = log_e.at(-1);
  if (last === undefined) return [];
  const { alpha } = told.levels;
  return [
    `In those ${arms.a} won ${counts.wins}, ${arms.b} ${counts.losses}, and ${counts.ties} had no winner: evidence ${evidenceText(evidenceOf(last), alpha)} (${limitText(alpha)} needed).`,
  ];
}

function shown({ arms, told }: Subject, { claim }: SequentialTest): string {
  if (claim) return `establish a preference for ${arms[claim.side]}`;
  return `show no difference above the ${Number((told.levels.margin * 100).toFixed(3))}-point margin`;
}

/** What the figures do not tell. */
function against({ arms }: Subject, { sequential, tallies }: Pool): readonly string[] {
  const { claim } = sequential;
  if (sequential.reversed) return ["They established a preference for each arm in turn."];
  if (claim && sequential.fragile) {
    const missing = tallies.reduce((sum, tally) => sum + missingOf(tally), 0);
    const other = arms[claim.side === "a" ? "b" : "a"];
    return [
      `A preference would not stand if the ${counted(missing, "missing trial")} among them had gone to ${other}.`,
    ];
  }
  if (claim) return [`They establish a preference for ${arms[claim.side]}.`];
  return conclusionOf(sequential) === "undecided" ? [] : ["They show no difference above the margin."];
}
