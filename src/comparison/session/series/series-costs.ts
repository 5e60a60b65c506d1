import type { TrialRow } from "../../../domain/trial.ts";
import { type AdvanceInput, trialsBorne } from "../../../statistics/advance.ts";
import { costOfTrial } from "../../../statistics/costs.ts";

/** What the trials of a series cost so far, and how many more its limit bears. */
export class SeriesCosts {
  readonly #estimate_usd: number | null;
  #usd = 0;
  /** The cost of the completed trials of which it is known. */
  #known_usd = 0;
  #known = 0;

  /** `estimate_usd`: the most that a trial may cost, USD; null = unknown. */
  constructor(estimate_usd: number | null) {
    this.#estimate_usd = estimate_usd;
  }

  /** Adds a trial that has ended. */
  add(row: TrialRow): void {
    const usd = costOfTrial(row);
    this.#usd += usd ?? this.#estimate_usd ?? 0;
    if (row.state !== "completed" || usd === null) return;
    this.#known_usd += usd;
    this.#known += 1;
  }

  /** How many more trials the limit bears beside those that are open. */
  borne(max_cost_usd: number | null, open: number): number {
    if (max_cost_usd === null) return Number.POSITIVE_INFINITY;
    const usd = this.#known > 0 ? this.#known_usd / this.#known : this.#estimate_usd;
    return trialsBorne(max_cost_usd, { spent_usd: this.#usd, usd, open });
  }

  get money(): Pick<AdvanceInput, "spent_usd" | "estimate_usd"> {
    return { spent_usd: this.#usd, estimate_usd: this.#estimate_usd };
  }
}
