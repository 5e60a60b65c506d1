import { counted, percentText } from "../../domain/number-text.ts";
import { MAX_TRIALS_IN_ALL } from "../../domain/series-record.ts";
import type { Findings } from "../claim/findings.ts";
import { LEAST_CHANCE } from "../claim/forecast.ts";
import { isOnlyCopies } from "../claim/sequential-test.ts";

const NOT_ALIKE = "This does not show that the arms are alike.";

/** Why no further trial was started, or that the series goes on. Nothing when it simply ran to its end. */
export function endOf(findings: Findings): readonly string[] {
  const { subject, sequential } = findings;
  const planned = (subject.told.limits?.trials ?? 0) * subject.scenarios.length;
  const done = sequential.log_e.length * subject.scenarios.length;
  const after = `after ${done} of ${counted(planned, "planned trial")}`;
  if (subject.told.limits === null)
    return [`These are ${stored(findings)} of this comparison; nobody planned how many.`];
  switch (subject.told.stop) {
    case "sure":
      return done < planned ? [`Stopped early, ${after}, once the preference was established.`] : [];
    case "equivalent":
      return done < planned ? [`Stopped early, ${after}, once this was established.`] : [];
    case "out_of_reach":
      return [`Stopped early, ${after}: ${outOfReach(findings)} ${NOT_ALIKE}`];
    case "unlikely":
      return [
        `Stopped early: by a forecast from these trials, the chance of reaching a conclusion by trial ${planned} was below ${percentText(LEAST_CHANCE)}. ${NOT_ALIKE}`,
      ];
    case "budget":
      return [`Stopped by the cost limit${limit(subject.told.limits.max_cost_usd)}, ${after}.`];
    case "cancelled":
      return [`Cancelled ${after}.`];
    case "failed":
      return [`The series failed ${after}.`];
    case "exhausted":
      return [];
    case null:
      return going(findings, after);
  }
}

const stored = ({ rows }: Findings) =>
  rows.length < MAX_TRIALS_IN_ALL ? "all stored runs" : `the first ${MAX_TRIALS_IN_ALL} stored runs`;

/** It may have been taken away since. */
const limit = (usd: number | null) => (usd === null ? "" : ` of $${usd}`);

function outOfReach({ sequential }: Findings): string {
  return isOnlyCopies(sequential)
    ? "copies of these trials would tell nothing new."
    : "the trials that were left could bring no conclusion.";
}

function going({ subject }: Findings, after: string): readonly string[] {
  if (subject.told.state === "running") return [`Still running, ${after}.`];
  if (subject.told.state === "interrupted") return [`Interrupted ${after}; it can be continued.`];
  return [];
}
