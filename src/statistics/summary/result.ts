import type { Series } from "../../domain/series.ts";
import type { Side } from "../../domain/verdict.ts";
import { countedOf, type Findings } from "../claim/findings.ts";
import { meanRangeOf, valuesOf } from "../claim/means.ts";

type Range = Pick<Series["headline"], "low" | "high">;

/** What the trials show of the candidate. @param headline with the range of arm a's win rate */
export function seriesResultOf(findings: Findings, headline: Range): Series["result"] {
  const trials = countedOf(findings);
  if (trials.length === 0) return null;
  const { measure, arms, control_side } = findings.subject;
  const [control, candidate]: readonly Side[] = control_side === "a" ? ["a", "b"] : ["b", "a"];
  if (!control || !candidate) return null;
  const { wins, losses } = findings.sequential.counts;
  const value = valuesOf(findings);
  const known = value && { candidate: value[candidate], control: value[control] };
  const [ahead, behind] = candidate === "a" ? [wins, losses] : [losses, wins];
  const { low, high } = measure === "score" ? meanRangeOf(findings) : asPoints(headline);
  return {
    ...{ measure, candidate: arms[candidate], control: arms[control], value: known },
    difference: known && measure === "score" ? known.candidate - known.control : (ahead - behind) / trials.length,
    ...(candidate === "a" ? { low, high } : { low: -high, high: -low }),
    ...{ n: trials.length, ahead, behind },
  };
}

/** A win rate counts half for a trial without a winner. */
const asPoints = ({ low, high }: Range): Range => ({ low: 2 * low - 1, high: 2 * high - 1 });
