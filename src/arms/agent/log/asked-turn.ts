import type { DecisionDetail } from "../../../domain/decision.ts";
import type { BudgetState } from "../../arm/budget.ts";
import type { PricedModel } from "../../arm/known-use.ts";
import type { ThreadName } from "./threads.ts";

/** A request that goes on to the provider. */
export interface AskedTurn {
  readonly thread: ThreadName;
  /** A small call besides the work. */
  readonly side: boolean;
  /** What the provider is asked for. */
  readonly model: string;
  /** Set when that is not the arm's own. */
  readonly other?: PricedModel | undefined;
  readonly sent_bytes: number;
  /** Monotonic milliseconds. */
  readonly began_ticks: number;
  /** Calls of its reply that were refused. */
  readonly blocks: DecisionDetail<"policy_block">[];
  /** Set when its reply holds more calls than the budget: nothing more of it goes to the agent. */
  spent?: BudgetState | undefined;
}
