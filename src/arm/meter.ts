import type { BudgetName } from "../domain/decision.ts";
import { BUDGET_WARNING_SHARE, BYTES_PER_TOKEN } from "../domain/defaults.ts";
import type { BudgetUse } from "../domain/evidence.ts";
import type { Arm, Budget, Price } from "../domain/scenario.ts";
import { costOf, sumKnown, sumUse, type TokenUse } from "../domain/usage.ts";
import type { ModelReply, ModelRequest } from "../model/client.ts";
import { bytesOf, tokensToSend } from "./first-turn.ts";
import type { Stopwatch } from "./stopwatch.ts";

export interface BudgetState {
  readonly budget: BudgetName;
  readonly used: number;
  readonly limit: number;
}

/** The arm's own limits tighten the policies' budget; neither widens the other. */
export function effectiveBudget(budget: Budget, limits: Arm["limits"]): Budget {
  const tighter = (name: "max_turns" | "max_tokens" | "max_seconds" | "max_tool_calls") =>
    Math.min(budget[name], limits[name] ?? Number.POSITIVE_INFINITY);
  const caps = [budget.max_cost_usd, limits.max_cost_usd].filter((cap) => typeof cap === "number");
  return {
    max_turns: tighter("max_turns"),
    max_tokens: tighter("max_tokens"),
    max_seconds: tighter("max_seconds"),
    max_tool_calls: tighter("max_tool_calls"),
    max_cost_usd: caps.length > 0 ? Math.min(...caps) : null,
  };
}

/** Counts what an arm uses. Sums that hold an unknown are null; the budget then counts an estimate. */
export class Meter {
  turns = 0;
  tool_calls = 0;
  readonly #budget: Budget;
  readonly #price: Price | null;
  readonly #stopwatch: Stopwatch;
  readonly #warned = new Set<BudgetName>();
  /** Estimated where the provider gave no usage: a budget holds all the same. */
  #spentTokens = 0;
  #spentUsd = 0;
  /** What the last turn sent: bytes of its messages, and what they cost. */
  #sent = { bytes: 0, usd: 0 };
  #tokens: TokenUse = { tokens_in: 0, tokens_out: 0, cached_tokens: 0 };
  #cost: number | null;

  constructor(budget: Budget, price: Price | null, stopwatch: Stopwatch) {
    this.#budget = budget;
    this.#price = price;
    this.#stopwatch = stopwatch;
    this.#cost = price === null ? null : 0;
  }

  get tokens(): TokenUse {
    return this.#tokens;
  }

  get cost_usd(): number | null {
    return this.#cost;
  }

  countTurn(request: ModelRequest, reply: ModelReply): void {
    this.turns += 1;
    const spent = {
      tokens_in: reply.tokens_in ?? estimateTokens(JSON.stringify(request.messages)),
      tokens_out: reply.tokens_out ?? estimateTokens(reply.text + JSON.stringify(reply.calls)),
      cached_tokens: reply.cached_tokens,
    };
    this.#spentTokens += spent.tokens_in + spent.tokens_out;
    this.#spentUsd += costOf(this.#price, spent) ?? 0;
    this.#sent = { bytes: bytesOf(request.messages), usd: costOf(this.#price, { ...spent, tokens_out: 0 }) ?? 0 };
    this.#tokens = sumUse([this.#tokens, reply]);
    this.#cost = sumKnown([this.#cost, costOf(this.#price, reply)]);
  }

  /**
   * Tokens that the next turn may write so that the cost stays below its limit; infinite without one. What was sent before
   * is taken to cost what it cost the last time: a cache that lapses is the one way to go over.
   */
  affordable(request: ModelRequest): number {
    const limit = this.#budget.max_cost_usd;
    if (limit === null || this.#price === null) return Number.POSITIVE_INFINITY;
    const fresh =
      this.turns === 0 ? tokensToSend(request) : (bytesOf(request.messages) - this.#sent.bytes) / BYTES_PER_TOKEN;
    const left = limit - this.#spentUsd - this.#sent.usd - (fresh * this.#price.in) / 1_000_000;
    if (left <= 0) return this.#price.in + this.#price.out === 0 ? Number.POSITIVE_INFINITY : 0;
    return this.#price.out === 0
      ? Number.POSITIVE_INFINITY
      : Math.floor((left * 1_000_000) / this.#price.out + EPSILON);
  }

  /** How far the cost has come; only where it is limited. */
  costState(): BudgetState | undefined {
    return this.#states().find(({ budget }) => budget === "cost_usd");
  }

  /** The first budget that is used up, `ignored` aside. */
  exhausted(ignored?: BudgetName): BudgetState | undefined {
    return this.#states().find((state) => state.budget !== ignored && state.used >= state.limit);
  }

  /** Budgets that have run low since the last call; each is named once. */
  runningLow(): readonly BudgetState[] {
    const low = this.#states().filter(
      (state) => state.used >= state.limit * BUDGET_WARNING_SHARE && !this.#warned.has(state.budget),
    );
    for (const state of low) this.#warned.add(state.budget);
    return low;
  }

  use(): BudgetUse[] {
    const known = this.#tokens.tokens_in !== null && this.#tokens.tokens_out !== null;
    return [
      { budget: "turns", used: this.turns, limit: this.#budget.max_turns },
      { budget: "tokens", used: known ? this.#spentTokens : null, limit: this.#budget.max_tokens },
      { budget: "seconds", used: this.#stopwatch.working_ms / 1000, limit: this.#budget.max_seconds },
      { budget: "tool_calls", used: this.tool_calls, limit: this.#budget.max_tool_calls },
      { budget: "cost_usd", used: this.#cost, limit: this.#budget.max_cost_usd },
    ];
  }

  #states(): BudgetState[] {
    const states: BudgetState[] = [
      { budget: "turns", used: this.turns, limit: this.#budget.max_turns },
      { budget: "tokens", used: this.#spentTokens, limit: this.#budget.max_tokens },
      { budget: "seconds", used: this.#stopwatch.working_ms / 1000, limit: this.#budget.max_seconds },
      { budget: "tool_calls", used: this.tool_calls, limit: this.#budget.max_tool_calls },
    ];
    if (this.#price !== null && this.#budget.max_cost_usd !== null)
      states.push({ budget: "cost_usd", used: this.#spentUsd, limit: this.#budget.max_cost_usd });
    return states;
  }
}

/** Binary fractions: 0.256 USD at 1000 USD a million must pay for 256 tokens. */
const EPSILON = 1e-6;

const estimateTokens = (text: string) => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
