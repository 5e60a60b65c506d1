import type { Side } from "../../domain/verdict.ts";
import { withRest } from "./e-process.ts";
import { countedOf, type Findings } from "./findings.ts";
import { MeanProcess } from "./mean-process.ts";
import { NOW, wealthNeeded } from "./rules.ts";
import type { CountedTrial } from "./tally.ts";

/** The share that each arm solved of the trials that count, or its mean score; null where a trial has no such value. */
export function valuesOf(findings: Findings): Record<Side, number> | null {
  const { subject } = findings;
  const trials = countedOf(findings);
  if (subject.measure === "preferred" || trials.length === 0) return null;
  const mean = (side: Side) => trials.reduce((sum, trial) => sum + valueIn(subject, trial, side), 0) / trials.length;
  return { a: mean("a"), b: mean("b") };
}

const valueIn = ({ scores }: Findings["subject"], { row }: CountedTrial, side: Side): number =>
  scores?.get(row.session_id)?.[side] ?? (row.arms[side].solved ? 1 : 0);

/** By what the series measures: a's minus b's. */
export const differenceIn = (subject: Findings["subject"], trial: CountedTrial): number =>
  subject.scores ? valueIn(subject, trial, "a") - valueIn(subject, trial, "b") : trial.d;

/** The evidence of imported scores about the mean of a's minus b's. @param lost what each missing pair would have been */
function processOf(findings: Findings, lost: number | null): MeanProcess {
  const { subject, tallies, sequential } = findings;
  const places = new Map(tallies.flatMap(({ counted }, place) => counted.map(({ row }) => [row, place])));
  const rounds = Map.groupBy(countedOf(findings), ({ round }) => round);
  const told = Array.from(sequential.log_e.keys(), (index) =>
    (rounds.get(index + 1) ?? []).map((trial) => ({
      place: places.get(trial.row) ?? 0,
      d: differenceIn(subject, trial),
    })),
  );
  const missing = lost === null ? 0 : sequential.uncertain.missing;
  const last = Array.from({ length: missing }, (_, index) => ({ place: tallies.length + index, d: lost ?? 0 }));
  const all = [...told, last].filter((round) => round.length > 0);
  return new MeanProcess(tallies.length + missing, all);
}

/** The range of that mean, valid at every look. */
export function meanRangeOf(findings: Findings): { readonly low: number; readonly high: number } {
  const { alpha, rules = NOW } = findings.subject.levels;
  const level = Math.log(wealthNeeded(alpha, rules));
  return processOf(findings, null).range(level) ?? { low: -1, high: 1 };
}

/** Whether the mean of imported scores shows that an arm is not worse; each missing pair counts as its worst. */
export function isNotWorseByMean(findings: Findings, side: Side): boolean {
  const { alpha, not_worse_by, rules = NOW } = findings.subject.levels;
  const values = valuesOf(findings);
  if (not_worse_by === undefined || !values) return false;
  const [sign, ahead] = side === "a" ? [1, values.a - values.b] : [-1, values.b - values.a];
  if (ahead <= -not_worse_by) return false;
  const wealth = processOf(findings, -sign).logEvidence(-sign * not_worse_by)[side];
  return withRest(wealth, rules.fresh) >= -Math.log(alpha);
}
