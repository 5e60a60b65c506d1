import { Failure, wordsOf } from "../../domain/failure.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Spending } from "../../store/ledger.ts";
import type { SessionServices } from "./services.ts";

/** Money of the day's limit that is reserved for some work before it begins. */
export interface Reservation {
  /** What it is known by in the ledger, and how much it is, USD. */
  readonly held: { readonly id: string; readonly usd: number };
  /** Puts the cost in place of what was reserved. Null is an unknown cost and counts as all that was reserved. Never throws. */
  settle(cost_usd: number | null): Promise<void>;
}

/**
 * Reserves the most that the work can cost. Without a daily limit, or for a null of a missing price, nothing is reserved.
 * @throws Failure `overloaded` with the figures, when the work could exceed the day's limit; `storage_full`, `storage_failed`.
 */
export async function reserve(
  services: Pick<SessionServices, "store" | "clock" | "entropy" | "notice" | "max_cost_per_day_usd">,
  what: "run" | "rejudge" | "self-test",
  worst_case_usd: number | null,
): Promise<Reservation> {
  const { store, clock, entropy, max_cost_per_day_usd: limit } = services;
  const id = entropy(8);
  if (limit !== undefined && worst_case_usd !== null) {
    const spending = await store.ledger.reserve({ id, day: today(clock), usd: worst_case_usd }, limit);
    if (spending) throw overLimit(what, { limit, worst_case_usd, spending, now: clock.now() });
  }
  return heldReservation(services, { id, usd: limit === undefined ? 0 : (worst_case_usd ?? 0) });
}

/** What was reserved before, in whatever process. */
export function heldReservation(
  { store, clock, notice }: Pick<SessionServices, "store" | "clock" | "notice">,
  held: Reservation["held"],
): Reservation {
  return {
    held,
    async settle(cost_usd) {
      const usd = cost_usd ?? held.usd;
      if (usd === 0 && held.usd === 0) return;
      try {
        await store.ledger.settle({ id: held.id, day: today(clock), usd });
      } catch (error) {
        // The reservation stays, which can only overstate the day's cost.
        notice(`the cost of a run was not noted: ${wordsOf(error)}`);
      }
    },
  };
}

const today = (clock: Clock) => clock.now().toISOString().slice(0, 10);

interface Excess {
  readonly limit: number;
  readonly worst_case_usd: number;
  /** What the day has cost so far. */
  readonly spending: Spending;
  readonly now: Date;
}

function overLimit(what: string, excess: Excess): Failure {
  const { limit, worst_case_usd, spending } = excess;
  const { advice, ...waits } = wayOut(excess);
  const words = `This ${what} may cost up to ${inUsd(worst_case_usd)}; the daily limit is ${inUsd(limit)} (${rounded(spending.spent)} spent, ${rounded(spending.reserved)} reserved)`;
  return new Failure("overloaded", `${words}, ${advice}`, {
    retryable: waits.retry_after_s !== undefined,
    details: {
      reason: "max_cost_per_day",
      limit_usd: limit,
      spent_usd: rounded(spending.spent),
      reserved_usd: rounded(spending.reserved),
      needed_usd: rounded(worst_case_usd),
      ...waits,
    },
  });
}

/** What to do, and after how many seconds another try can help. */
function wayOut({ limit, worst_case_usd, spending, now }: Excess): { advice: string; retry_after_s?: number } {
  if (worst_case_usd > limit) return { advice: "so it can never start: lower max_tokens, or raise --max-cost-per-day" };
  if (spending.spent + worst_case_usd <= limit)
    return { advice: "so it has to wait: try again when a run has ended", retry_after_s: 10 };
  const retry_after_s = Math.ceil((DAY_MS - (now.getTime() % DAY_MS)) / 1000);
  return {
    advice: "so it cannot start today: try again after midnight UTC, or raise --max-cost-per-day",
    retry_after_s,
  };
}

const DAY_MS = 86_400_000;

const inUsd = (usd: number) => `${rounded(usd)} USD`;

/** To a hundredth of a cent. */
const rounded = (usd: number) => Math.round(usd * 10_000) / 10_000;
