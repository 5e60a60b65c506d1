import type { SeriesListing, SeriesRecord } from "../domain/series.ts";
import type { SessionListing, SessionOutcome } from "../domain/session.ts";

export function listingOf(outcome: SessionOutcome): SessionListing {
  const { verdict, trial } = outcome;
  return {
    session_id: outcome.session_id,
    scenario: outcome.scenario,
    state: outcome.state,
    created_at: outcome.created_at,
    finished_at: outcome.finished_at,
    arms: outcome.arms.map(({ arm_id, model, status }) => ({ arm_id, model, status })),
    outcome: verdict?.outcome ?? null,
    winner: verdict?.winner ?? null,
    confidence: verdict?.confidence ?? null,
    judge_model: verdict?.judge.model ?? outcome.request.judge_model,
    ...(trial && { trial }),
  };
}

export function seriesListingOf({ plan, limits, ...series }: SeriesRecord): SeriesListing {
  return {
    series_id: series.series_id,
    state: series.state,
    stop: series.stop,
    created_at: series.created_at,
    finished_at: series.finished_at,
    scenarios: plan.scenarios.map(({ scenario }) => scenario),
    arms: plan.arms,
    judge_model: plan.judge_model,
    trials: limits.trials,
    standing: series.standing,
  };
}
