import type { SeriesTrial } from "../domain/series.ts";
import { costOfTrial } from "./costs.ts";
import { evidenceOf, type Findings, trialOf } from "./findings.ts";
import { resultOf } from "./tally.ts";

/** Every trial in the order of creation, with the round that it counts in. */
export function trialListOf({ subject, rows, tallies, course }: Findings): SeriesTrial[] {
  const rounds = new Map(tallies.flatMap(({ counted }) => counted.map(({ row }, index) => [row, index] as const)));
  return rows.map((row, index) => {
    const result = resultOf(row);
    const round = rounds.get(row) ?? Number.POSITIVE_INFINITY;
    const log = course.log_e[round];
    return {
      trial: trialOf(subject, row, index),
      round: subject.told.kind === "planned" && row.place ? row.place.round : index + 1,
      ...{ scenario: row.scenario, session_id: row.session_id, state: row.state },
      failure: row.failure?.message ?? null,
      ...{ outcome: row.outcome, winner_side: row.winner_side, d: typeof result === "number" ? result : null },
      counted: log !== undefined,
      used_for_claim: course.claim !== null && round < course.claim.round,
      e_after: log === undefined ? null : evidenceOf(log),
      cost_usd: result === "running" ? null : costOfTrial(row),
    };
  });
}
