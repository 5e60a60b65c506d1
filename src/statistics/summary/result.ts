import type { Series } from "../../domain/series.ts";
import type { Side } from "../../domain/verdict.ts";
import { countedOf, type Findings } from "../claim/findings.ts";
import { MeanProcess } from "../claim/mean-process.ts";
import type { CountedTrial } from "../claim/tally.ts";

type Range = Pick<Series["headline"], "low" | "high">;

/** What the trials show of the candidate. @param headline with the range of arm a's win rate */
export function seriesResultOf(findings: Findings, headline: Range): Series["result"] {
  const trials = countedOf(findings);
  if (trials.length === 0) return null;
  const { measure, arms, control_side } = findings.subject;
  const [control, candidate]: readonly Side[] = control_side === "a" ? ["a", "b"] : ["b", "a"];
  if (!control || !candidate) return null;
  const { wins, losses } = findings.sequential.counts;
  const value = valuesOf(findings, trials);
  const known = value && { candidate: value[candidate], control: value[control] };
  const [ahead, behind] = candidate === "a" ? [wins, losses] : [losses, wins];
  const { low, high } = measure === "score" ? meanRange(findings, trials) : asPoints(headline);
  return {
    ...{ measure, candidate: arms[candidate], control: arms[control], value: known },
    difference: known && measure === "score" ? known.candidate - known.control : (ahead - behind) / trials.length,
    ...(candidate === "a" ? { low, high } : { low: -high, high: -low }),
    ...{ n: trials.length, ahead, behind },
  };
}

/** A win rate counts half for a trial without a winner. */
const asPoints = ({ low, high }: Range): Range => ({ low: 2 * low - 1, high: 2 * high - 1 });

/** The share that each arm solved, or its mean score. */
function valuesOf({ subject }: Findings, trials: readonly CountedTrial[]): Record<Side, number> | null {
  if (subject.measure === "preferred") return null;
  const mean = (side: Side) => trials.reduce((sum, trial) => sum + resultIn(subject, trial, side), 0) / trials.length;
  return { a: mean("a"), b: mean("b") };
}

const resultIn = ({ scores }: Findings["subject"], { row }: CountedTrial, side: Side): number =>
  scores?.get(row.session_id)?.[side] ?? (row.arms[side].solved ? 1 : 0);

/** The range of the mean of a's score minus b's, at every look. */
function meanRange({ subject, tallies, sequential }: Findings, trials: readonly CountedTrial[]): Range {
  const places = new Map(tallies.flatMap(({ counted }, place) => counted.map(({ row }) => [row, place])));
  const difference = (trial: CountedTrial) => resultIn(subject, trial, "a") - resultIn(subject, trial, "b");
  const rounds = Map.groupBy(trials, ({ round }) => round);
  const told = Array.from(sequential.log_e.keys(), (index) =>
    (rounds.get(index + 1) ?? []).map((trial) => ({ place: places.get(trial.row) ?? 0, d: difference(trial) })),
  );
  const process = new MeanProcess(tallies.length, told);
  return process.range(-Math.log(subject.told.levels.alpha)) ?? { low: -1, high: 1 };
}
