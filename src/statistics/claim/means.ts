import type { Side } from "../../domain/verdict.ts";
import { placed, unitMeans } from "./clusters.ts";
import { withRest } from "./e-process.ts";
import type { Findings } from "./findings.ts";
import { MeanProcess } from "./mean-process.ts";
import { NOW, ROUNDING, wealthNeeded } from "./rules.ts";
import { type CountedTrial, countedIn } from "./tally.ts";
import { valueIn } from "./value-in.ts";

/** The share that each arm solved of the trials that count, or its mean score; null where a trial has no such value. */
export function valuesOf(findings: Findings): Record<Side, number> | null {
  const { subject } = findings;
  if (subject.measure === "preferred") return null;
  const values = (side: Side) => unitsIn(findings, (trial) => valueIn(subject, trial, side)).map(({ mean }) => mean);
  const [a, b] = [values("a"), values("b")];
  return a.length === 0 ? null : { a: meanOf(a), b: meanOf(b) };
}

export const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The mean of each unit in each complete round. */
export function unitsIn({ tallies, sequential, subject }: Findings, measured: Measured) {
  const trials = placed(tallies.map((tally) => countedIn(tally, sequential.log_e.length)));
  return unitMeans(trials, subject.levels.clusters, measured);
}

/** By what the series measures: a's minus b's. */
export const differenceIn = (subject: Findings["subject"], trial: CountedTrial): number =>
  subject.measure === "score" ? valueIn(subject, trial, "a") - valueIn(subject, trial, "b") : trial.d;

/** By unit the mean difference over its complete rounds. */
export function unitDifferences(findings: Findings): readonly number[] {
  const rounds = Map.groupBy(
    unitsIn(findings, ({ d }) => d),
    ({ unit }) => unit,
  );
  return [...rounds.values()].map((own) => {
    const mean = meanOf(own.map((one) => one.mean));
    return Math.abs(mean) < ROUNDING ? 0 : mean;
  });
}

/** The evidence of scores about the mean of a's minus b's. @param lost what each missing pair would have been */
function processOf(
  findings: Findings,
  lost: number | null,
  measured: Measured = (trial) => differenceIn(findings.subject, trial),
): MeanProcess {
  const { subject, tallies, sequential } = findings;
  const differences = unitsIn(findings, measured);
  const rounds = Map.groupBy(differences, ({ round }) => round);
  const told = Array.from(sequential.log_e.keys(), (index) =>
    (rounds.get(index + 1) ?? []).map(({ unit, mean }) => ({ place: unit, d: mean })),
  );
  const missing = lost === null ? 0 : sequential.uncertain.missing;
  const last = Array.from({ length: missing }, (_, index) => ({ place: tallies.length + index, d: lost ?? 0 }));
  const all = [...told, last].filter((round) => round.length > 0);
  return new MeanProcess(tallies.length + missing, all, subject.levels.clusters === undefined);
}

type Measured = (trial: CountedTrial) => number;

/** The range of that mean, or of the mean of another measure from -1 to 1, valid at every look. */
export function meanRangeOf(findings: Findings, measured?: Measured): { readonly low: number; readonly high: number } {
  const { alpha, rules = NOW } = findings.subject.levels;
  const level = Math.log(wealthNeeded(alpha, rules));
  return processOf(findings, null, measured).range(level) ?? { low: -1, high: 1 };
}

/** Whether the mean of scores shows that an arm is not worse; each missing pair counts as its worst. */
export const isNotWorseByMean = (findings: Findings, side: Side): boolean =>
  notWorseByMean(findings, side) >= -Math.log(findings.subject.levels.alpha);

/** The evidence for it, as a logarithm; none where the mean contradicts it now. */
export function notWorseByMean(findings: Findings, side: Side): number {
  const { not_worse_by, rules = NOW } = findings.subject.levels;
  const values = valuesOf(findings);
  if (not_worse_by === undefined || !values) return Number.NEGATIVE_INFINITY;
  const [sign, ahead] = side === "a" ? [1, values.a - values.b] : [-1, values.b - values.a];
  if (ahead <= -not_worse_by) return Number.NEGATIVE_INFINITY;
  const wealth = processOf(findings, -sign).logEvidence(-sign * not_worse_by)[side];
  return withRest(wealth, rules.fresh);
}
