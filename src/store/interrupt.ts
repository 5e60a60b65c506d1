import type { Price } from "../domain/scenario.ts";
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

function stopped(outcome: SessionOutcome, arm: ArmSummary): ArmSummary {
  const { decisions } = outcome;
  if (arm.status !== "pending" && arm.status !== "running") return arm;
  const tally = tallyDecisions(decisions[arm.arm_id] ?? [], priceOf(outcome, arm.arm_id));
  return { ...arm, ...tally, status: "cancelled", stop_reason: "interrupted" };
}

/** What the arm was counted with; 0.1.6 stored no prices, and an override took those of the scenario. */
function priceOf({ settings, definition, request }: SessionOutcome, arm_id: string): Price | null {
  if (settings.prices !== undefined) return settings.prices.arms[arm_id] ?? null;
  const ofFile = definition.arms.find(({ id }) => id === arm_id)?.price_per_mtok ?? null;
  return request.model_override === null ? ofFile : null;
}
