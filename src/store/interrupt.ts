import type { ArmSummary, SessionOutcome, Stage } from "../domain/session.ts";
import { tallyDecisions } from "../domain/tally.ts";
import { sumTotals } from "../domain/usage.ts";

/** What a session becomes whose process went away: its decisions stay, it never has a verdict of that run. */
export function interrupt(outcome: SessionOutcome, at: string): SessionOutcome {
  const stage: Stage = STAGES[outcome.state as keyof typeof STAGES] ?? "running";
  const [first, second] = outcome.arms;
  const stop = (arm: ArmSummary) => stopped(outcome, arm);
  const ended: SessionOutcome = {
    ...outcome,
    state: "interrupted",
    finished_at: at,
    arms: [stop(first), stop(second)],
    failure: {
      stage,
      class: "infra",
      code: "interrupted",
      message: "The process that ran this session ended before it was done.",
      retryable: true,
    },
  };
  return { ...ended, totals: sumTotals(ended) };
}

const STAGES = {
  queued: "queued",
  preparing: "preparing",
  running: "running",
  probing: "probing",
  judging: "judging",
} as const;

function stopped({ definition, request, decisions }: SessionOutcome, arm: ArmSummary): ArmSummary {
  if (arm.status !== "pending" && arm.status !== "running") return arm;
  const price = definition.arms.find(({ id }) => id === arm.arm_id)?.price_per_mtok ?? null;
  const tally = tallyDecisions(decisions[arm.arm_id] ?? [], request.model_override === null ? price : null);
  return { ...arm, ...tally, status: "cancelled", stop_reason: "interrupted" };
}
