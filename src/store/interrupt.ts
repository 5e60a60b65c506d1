import type { Decision } from "../domain/decision.ts";
import type { ArmSummary, SessionOutcome, Stage } from "../domain/session.ts";
import { tallyDecisions } from "../domain/tally.ts";

/** What a session becomes whose process went away: its decisions stay, it never has a verdict of that run. */
export function interrupt(outcome: SessionOutcome, at: string): SessionOutcome {
  const stage: Stage = STAGES[outcome.state as keyof typeof STAGES] ?? "running";
  const [first, second] = outcome.arms;
  const log = ({ arm_id }: ArmSummary) => outcome.decisions[arm_id] ?? [];
  return {
    ...outcome,
    state: "interrupted",
    finished_at: at,
    arms: [stopped(first, log(first)), stopped(second, log(second))],
    failure: {
      stage,
      class: "infra",
      code: "interrupted",
      message: "The process that ran this session ended before it was done.",
      retryable: true,
    },
  };
}

const STAGES = {
  queued: "queued",
  preparing: "preparing",
  running: "running",
  probing: "probing",
  judging: "judging",
} as const;

function stopped(arm: ArmSummary, decisions: readonly Decision[]): ArmSummary {
  if (arm.status !== "pending" && arm.status !== "running") return arm;
  return { ...arm, ...tallyDecisions(decisions), status: "cancelled", stop_reason: "interrupted" };
}
