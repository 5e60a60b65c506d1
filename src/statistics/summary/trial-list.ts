import { withInputId } from "../../domain/member.ts";
import type { SeriesTrial } from "../../domain/series-trial.ts";
import type { TrialRow } from "../../domain/trial.ts";
import { Pace } from "../../runtime/pace.ts";
import { copiesOf, evidenceOf, type Findings, trialOf } from "../claim/findings.ts";
import { resultOf } from "../claim/tally.ts";
import { costOfTrial } from "../costs.ts";

/** Every trial in the order of creation, with the round that it counts in. */
export async function trialListOf(findings: Findings): Promise<SeriesTrial[]> {
  const { subject, rows, tallies, sequential } = findings;
  const copies = copiesOf(findings);
  const rounds = new Map(tallies.flatMap(({ counted }) => counted.map(({ row, round }) => [row, round - 1] as const)));
  const pace = new Pace();
  const trials: SeriesTrial[] = [];
  for (const [index, row] of rows.entries()) {
    await pace.units(UNITS_OF_A_TRIAL);
    const round = rounds.get(row) ?? Number.POSITIVE_INFINITY;
    const log = sequential.log_e[round];
    trials.push({
      trial: trialOf(subject, row, index),
      round: subject.told.kind !== "stored" && row.place ? row.place.round : index + 1,
      ...{ scenario: row.scenario, ...withInputId(row.input), session_id: row.session_id, state: row.state },
      ...resultIn(row, subject.measure),
      counted: log !== undefined,
      ...(copies.has(row) && { copy: true as const }),
      used_for_claim: sequential.claim !== null && round < sequential.claim.round,
      e_after: log === undefined ? null : evidenceOf(log),
      ...(resultOf(row) === "running" ? { cost_usd: null, arms_ms: null } : usedBy(row)),
    });
  }
  return trials;
}

/** Others have their turn after two thousand trials. */
export const UNITS_OF_A_TRIAL = 0.1;

function resultIn(row: TrialRow, measure: Findings["subject"]["measure"]) {
  const { failure, outcome, winner_side } = row;
  const result = resultOf(row, measure);
  return { failure: failure?.message ?? null, outcome, winner_side, d: typeof result === "number" ? result : null };
}

const usedBy = (row: TrialRow) => ({
  cost_usd: costOfTrial(row),
  arms_ms: Math.max(row.arms.a.wall_ms, row.arms.b.wall_ms),
});
