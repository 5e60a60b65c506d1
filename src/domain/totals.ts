import type { SessionOutcome, SessionTotals } from "./session.ts";

/** Arms and judge together; a sum that holds an unknown is unknown. */
export function sumTotals(outcome: SessionOutcome): SessionTotals {
  const usages = [...outcome.arms, ...(outcome.verdict ? [outcome.verdict.usage] : [])];
  const { started_at, finished_at } = outcome;
  return {
    tokens_in: sum(usages.map((usage) => usage.tokens_in)),
    tokens_out: sum(usages.map((usage) => usage.tokens_out)),
    cost_usd: sum(usages.map((usage) => usage.cost_usd)),
    wall_ms: started_at && finished_at ? Math.max(0, Date.parse(finished_at) - Date.parse(started_at)) : null,
  };
}

const sum = (values: readonly (number | null)[]) =>
  values.reduce((total, value) => (total === null || value === null ? null : total + value), 0 as number | null);
