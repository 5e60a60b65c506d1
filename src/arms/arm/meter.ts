import type { BudgetName } from "../../domain/decision.ts";
import { BYTES_PER_TOKEN } from "../../domain/defaults.ts";
import type { BudgetUse } from "../../domain/evidence.ts";
import type { Budget } from "../../domain/policies.ts";
import type { Price } from "../../domain/price-list.ts";
import {
  costOf,
  dearestInput,
  mostCostOf,
  NO_USAGE,
  sumKnown,
  sumUsage,
  UNKNOWN_USAGE,
  type Usage,
} from "../../domain/usage.ts";
import type { ModelRequest } from "../model/client.ts";
import { type BudgetState, effectiveBudget } from "./budget.ts";
import { bytesOf, tokensToSend } from "./conversation.ts";
import { KnownUse, type PricedModel } from "./known-use.ts";
import type { ArmRun } from "./run-arm.ts";
import { Stopwatch } from "./stopwatch.ts";

export interface SentRequest {
  /** Bytes of its messages. */
  readonly sent_bytes: number;
  /** Paid for, but no turn of the work. */
  readonly side?: boolean;
}

/** One request and its reply. */
export interface Turn extends SentRequest {
  readonly usage: Usage;
  /** Bytes of the reply. They are counted, and those sent, where the provider gave no usage. */
  readonly said_bytes: number;
  /** The reply did not come whole. */
  readonly broken?: boolean;
  /** Absent: the arm's own model was asked. */
  readonly other?: PricedModel | undefined;
}

/** Share of a budget at which an arm gets one warning. */
const BUDGET_WARNING_SHARE = 0.8;

/** What counts while an arm runs. */
export interface Counting {
  /** Of its working time, and fires when that is used up. */
  readonly stopwatch: Stopwatch;
  readonly meter: Meter;
}

/** Runs an arm within what the policies and its own limits leave it. */
export async function withinBudget<End>(
  { policies, arm, clock }: Pick<ArmRun, "policies" | "arm" | "clock">,
  conduct: (counting: Counting) => Promise<End>,
): Promise<End> {
  const budget = effectiveBudget(policies.budget, arm.limits);
  using stopwatch = new Stopwatch(clock, budget.max_seconds * 1000);
  return await conduct({ stopwatch, meter: new Meter(budget, arm.price_per_mtok, stopwatch) });
}

/** Counts what an arm uses. A sum that holds an unknown is null; its budget counts an estimate. */
export class Meter {
  turns = 0;
  tool_calls = 0;
  #side_calls = 0;
  readonly #budget: Budget;
  readonly #price: Price | null;
  readonly #stopwatch: Stopwatch;
  readonly #known = new KnownUse();
  readonly #warned = new Set<BudgetName>();
  /** Estimated where the provider gave no usage, so that the budget holds. */
  #spentTokens = 0;
  #spentUsd = 0;
  /** The bytes of the last turn's messages, and what sending them cost. */
  #sent = { bytes: 0, usd: 0 };
  #tokens = NO_USAGE;
  #cost: number | null;

  constructor(budget: Budget, price: Price | null, stopwatch: Stopwatch) {
    this.#budget = budget;
    this.#price = price;
    this.#stopwatch = stopwatch;
    this.#cost = price === null ? null : 0;
  }

  get tokens(): Usage {
    return this.#tokens;
  }

  get cost_usd(): number | null {
    return this.#cost;
  }

  /** Counts a small call besides the work before it is sent. Gives their limit when it is one too many. */
  beginSideCall(): BudgetState | undefined {
    const limit = this.#budget.max_turns * SIDE_CALLS_PER_TURN;
    if (this.#side_calls >= limit) return { budget: "side_calls", used: this.#side_calls, limit };
    this.#side_calls += 1;
    return undefined;
  }

  countTurn(turn: Turn): void {
    if (turn.side !== true) this.turns += 1;
    const spent = {
      ...turn.usage,
      tokens_in: turn.usage.tokens_in ?? estimateTokens(turn.sent_bytes),
      tokens_out: turn.usage.tokens_out ?? estimateTokens(turn.said_bytes),
    };
    const price = turn.other ? turn.other.price : this.#price;
    this.#spentTokens += spent.tokens_in + spent.tokens_out;
    this.#spentUsd += costOf(price, spent) ?? 0;
    this.#sent = { bytes: turn.sent_bytes, usd: costOf(price, { ...spent, tokens_out: 0 }) ?? 0 };
    this.#tokens = sumUsage([this.#tokens, turn.usage]);
    this.#cost = sumKnown([this.#cost, costOf(price, turn.usage)]);
    this.#known.add({ ...turn, price });
  }

  /** A request whose reply nobody waited for, because the arm ended. It is paid for, and no turn. */
  countUnheard({ sent_bytes, other }: Pick<Turn, "sent_bytes" | "other">): void {
    this.countTurn({ usage: UNKNOWN_USAGE, sent_bytes, said_bytes: 0, side: true, broken: true, other });
  }

  /**
   * Tokens that the next turn may write so that the cost stays below its limit; infinite without a limit. Text that was sent
   * before is taken to cost what it cost the last time. Only a provider's cache that lapses can exceed the limit.
   */
  affordable(request: ModelRequest): number {
    const limit = this.#budget.max_cost_usd;
    if (limit === null || this.#price === null) return Number.POSITIVE_INFINITY;
    const fresh =
      this.turns === 0 ? tokensToSend(request) : (bytesOf(request.messages) - this.#sent.bytes) / BYTES_PER_TOKEN;
    const left = limit - this.#spentUsd - this.#sent.usd - (fresh * dearestInput(this.#price)) / 1_000_000;
    if (left <= 0) return dearestInput(this.#price) + this.#price.out === 0 ? Number.POSITIVE_INFINITY : 0;
    return this.#price.out === 0
      ? Number.POSITIVE_INFINITY
      : Math.floor((left * 1_000_000) / this.#price.out + EPSILON);
  }

  seconds(): BudgetState {
    return { budget: "seconds", used: this.#stopwatch.working_ms / 1000, limit: this.#budget.max_seconds };
  }

  /** Undefined unless the cost is limited and can be known. */
  cost(): BudgetState | undefined {
    const { max_cost_usd } = this.#budget;
    if (this.#price === null || max_cost_usd === null) return undefined;
    return { budget: "cost_usd", used: this.#spentUsd, limit: max_cost_usd };
  }

  /** The first budget that is used up, `ignored` aside. */
  exhausted(ignored?: BudgetName): BudgetState | undefined {
    return this.#states().find((state) => state.budget !== ignored && state.used >= state.limit);
  }

  /**
   * The cost limit, when a request that sends so many tokens would pass it even if a cache had all of them and the reply were
   * empty. Whatever fits is not refused.
   */
  unaffordable(tokens_in: number): BudgetState | undefined {
    const cost = this.cost();
    if (cost === undefined || this.#price === null) return undefined;
    const next = (tokens_in * Math.min(this.#price.in, this.#price.cached_in ?? this.#price.in)) / 1_000_000;
    return cost.used + next > cost.limit ? { ...cost, next } : undefined;
  }

  /** The budget lasts for these side by side, as far as their requests tell. */
  lastsFor(requests: readonly SentRequest[]): boolean {
    const { max_turns, max_tokens, max_cost_usd } = this.#budget;
    const turns = requests.filter(({ side }) => side !== true).length;
    const tokens = estimateTokens(requests.reduce((sum, { sent_bytes }) => sum + sent_bytes, 0));
    const usd = mostCostOf(this.#price, { tokens_in: tokens, tokens_out: 0 });
    return (
      this.turns + turns <= max_turns &&
      this.#spentTokens + tokens <= max_tokens &&
      this.#spentUsd + (usd ?? 0) <= (max_cost_usd ?? Number.POSITIVE_INFINITY)
    );
  }

  /** Budgets that have run low since the last call; each is named once. */
  runningLow(): readonly BudgetState[] {
    const low = this.#states().filter(
      (state) => state.used >= state.limit * BUDGET_WARNING_SHARE && !this.#warned.has(state.budget),
    );
    for (const state of low) this.#warned.add(state.budget);
    return low;
  }

  /** What the arm has used until now, as its end reports it. */
  used() {
    const { wall_ms, working_ms, throttled_ms, stalled_ms, began_ticks } = this.#stopwatch;
    const { turns, tool_calls, tokens, cost_usd } = this;
    const budget = this.#use();
    const time = { wall_ms, working_ms, throttled_ms, ...(stalled_ms > 0 && { stalled_ms }), began_ticks };
    return { turns, tool_calls, ...tokens, cost_usd, ...this.#known.told(this.#price), ...time, budget };
  }

  #use(): BudgetUse[] {
    const known = this.#tokens.tokens_in !== null && this.#tokens.tokens_out !== null;
    const counted = this.#counted().map((state) =>
      state.budget === "tokens" && !known ? { ...state, used: null } : state,
    );
    return [...counted, { budget: "cost_usd", used: this.#cost, limit: this.#budget.max_cost_usd }];
  }

  #states(): readonly BudgetState[] {
    return [...this.#counted(), ...[this.cost() ?? []].flat()];
  }

  #counted(): readonly BudgetState[] {
    return [
      { budget: "turns", used: this.turns, limit: this.#budget.max_turns },
      { budget: "tokens", used: this.#spentTokens, limit: this.#budget.max_tokens },
      this.seconds(),
      { budget: "tool_calls", used: this.tool_calls, limit: this.#budget.max_tool_calls },
    ];
  }
}

/** Agents ask for a title, a summary or what a command does: a few for each turn. Nothing else bounds how many there are. */
const SIDE_CALLS_PER_TURN = 10;

/** Floating point: 0.256 USD at 1000 USD a million must pay for 256 tokens. */
const EPSILON = 1e-6;

const estimateTokens = (bytes: number) => Math.ceil(bytes / BYTES_PER_TOKEN);
