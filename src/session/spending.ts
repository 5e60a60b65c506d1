import { Failure } from "../domain/failure.ts";
import type { Spending } from "../store/ledger.ts";
import type { SessionServices } from "./services.ts";

type SpendingServices = Pick<SessionServices, "store" | "clock" | "entropy" | "notice" | "max_cost_per_day_usd">;

/** Money set aside for something that is about to begin. */
export interface Reservation {
  /** What it came to; null when nobody knows, which counts as all that was set aside. Never throws. */
  settle(usd: number | null): void;
}

/**
 * Asks whether the day has room for this. `dearest_usd` is the most that it may cost; null when a price is missing.
 * @throws Failure `overloaded` with the figures, when it could go over the day's limit; `storage_full`, `storage_failed`.
 */
export function setAside(services: SpendingServices, what: "run" | "rejudge", dearest_usd: number | null): Reservation {
  const { store, clock, entropy, max_cost_per_day_usd: limit } = services;
  const id = entropy(8);
  const today = () => clock.now().toISOString().slice(0, 10);
  if (limit !== undefined && dearest_usd !== null) {
    const taken = store.ledger.reserve({ id, day: today(), usd: dearest_usd }, limit);
    if (taken) throw overLimit(what, { limit, dearest_usd, taken, now: clock.now() });
  }
  const set_aside = limit === undefined ? 0 : (dearest_usd ?? 0);
  return {
    settle(usd) {
      const came_to = usd ?? set_aside;
      if (came_to === 0 && set_aside === 0) return;
      try {
        store.ledger.settle({ id, day: today(), usd: came_to });
      } catch (error) {
        // What was set aside stays so, which can only overstate.
        services.notice(`the cost of a run was not noted: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
  };
}

interface Excess {
  readonly limit: number;
  readonly dearest_usd: number;
  readonly taken: Spending;
  readonly now: Date;
}

function overLimit(what: string, { limit, dearest_usd, taken: { spent, reserved }, now }: Excess): Failure {
  const [advice, waits] = wayOut(limit, dearest_usd, spent, now);
  const words = `This ${what} may cost up to ${inUsd(dearest_usd)}; the daily limit is ${inUsd(limit)} (${rounded(spent)} spent, ${rounded(reserved)} reserved)`;
  return new Failure("overloaded", `${words}, ${advice}`, {
    retryable: waits.retry_after_s !== undefined,
    details: {
      reason: "max_cost_per_day",
      limit_usd: limit,
      spent_usd: rounded(spent),
      reserved_usd: rounded(reserved),
      needed_usd: rounded(dearest_usd),
      ...waits,
    },
  });
}

/** What to do, and in how many seconds it can help to ask again. */
function wayOut(limit: number, dearest_usd: number, spent: number, now: Date): [string, { retry_after_s?: number }] {
  if (dearest_usd > limit) return ["so it can never start: lower max_tokens, or raise --max-cost-per-day", {}];
  if (spent + dearest_usd <= limit) return ["so it has to wait: try again when a run has ended", { retry_after_s: 10 }];
  const retry_after_s = Math.ceil((DAY_MS - (now.getTime() % DAY_MS)) / 1000);
  return ["so it cannot start today: try again after midnight UTC, or raise --max-cost-per-day", { retry_after_s }];
}

const DAY_MS = 86_400_000;

const inUsd = (usd: number) => `${rounded(usd)} USD`;

/** To a hundredth of a cent. */
const rounded = (usd: number) => Math.round(usd * 10_000) / 10_000;
