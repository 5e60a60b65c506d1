import type { Series } from "../../domain/series.ts";
import type { Side } from "../../domain/verdict.ts";
import { netOf, totalIn } from "../claim/e-process.ts";
import { countedOf, type Findings } from "../claim/findings.ts";
import { differenceIn, meanRangeOf, unitDifferences, valuesOf } from "../claim/means.ts";
import { ROUNDING } from "../claim/rules.ts";

type Range = Pick<Series["headline"], "low" | "high">;

/** What the trials show of the candidate. @param headline with the range of arm a's win rate */
export function seriesResultOf(findings: Findings, headline: Range): Series["result"] {
  if (countedOf(findings).length === 0) return null;
  const { measure, arms, control_side } = findings.subject;
  const [control, candidate]: readonly Side[] = control_side === "a" ? ["a", "b"] : ["b", "a"];
  if (!control || !candidate) return null;
  const { bet } = findings.sequential;
  const net = candidate === "a" ? netOf(bet) : 0 - netOf(bet);
  const { n, wins, losses, ...told } = countedIn(findings);
  const value = valuesOf(findings);
  const known = value && { candidate: value[candidate], control: value[control] };
  const [ahead, behind] = candidate === "a" ? [wins, losses] : [losses, wins];
  const { low, high } = measure === "score" ? meanRangeOf(findings) : asPoints(headline);
  return {
    ...{ measure, candidate: arms[candidate], control: arms[control], value: known },
    difference: known && measure === "score" ? known.candidate - known.control : net / totalIn(bet),
    ...(candidate === "a" ? { low, high } : { low: -high, high: -low }),
    ...{ n, ahead, behind, ...told },
  };
}

/** What is counted: trials, or clusters by the mean of all their trials. */
function countedIn(findings: Findings) {
  const { wins, losses } = findings.sequential.counts;
  const { cluster: field } = findings.subject;
  if (field === undefined) return { n: countedOf(findings).length, ...(scoresApart(findings) ?? { wins, losses }) };
  const means = unitDifferences(findings);
  const [won, lost] = [means.filter((mean) => mean > 0).length, means.filter((mean) => mean < 0).length];
  return { n: means.length, wins: won, losses: lost, clusters: { field, count: means.length } };
}

/** Of scores, the trials in which one is ahead by more than the table's tie margin; undefined where nothing has a score. */
function scoresApart(findings: Findings) {
  const { subject } = findings;
  if (subject.measure !== "score") return undefined;
  const margin = (subject.told.imported?.tie_margin ?? 0) + ROUNDING;
  const gaps = countedOf(findings).map((trial) => differenceIn(subject, trial));
  return { wins: gaps.filter((gap) => gap > margin).length, losses: gaps.filter((gap) => gap < -margin).length };
}

/** A win rate counts half for a trial without a winner. */
const asPoints = ({ low, high }: Range): Range => ({ low: 2 * low - 1, high: 2 * high - 1 });
