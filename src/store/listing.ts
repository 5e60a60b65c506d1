import type { SessionListing, SessionOutcome } from "../domain/session.ts";

export function listingOf(outcome: SessionOutcome): SessionListing {
  const { verdict } = outcome;
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
  };
}
