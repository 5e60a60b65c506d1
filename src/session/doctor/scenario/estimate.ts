import { effectiveBudget } from "../../../arm/meter.ts";
import { MAX_OUTPUT_TOKENS } from "../../../domain/defaults.ts";
import type { CostEstimate } from "../../../domain/health.ts";
import type { Arm, Price, Scenario } from "../../../domain/scenario.ts";
import { BUILTIN_JUDGE } from "../../../model/model-ref.ts";
import { judgeModelName } from "../../choose-judge.ts";
import { isRealModel } from "../../sandbox-for.ts";
import type { Surroundings } from "../services.ts";
import {
  longestJudging,
  type RunSize,
  SHORT_TURNS,
  shortJudging,
  shortRun,
  TURN_TOKENS_BACK,
  TURN_TOKENS_OUT,
} from "./run-size.ts";

const NOTHING: RunSize = { tokens_in: 0, tokens_out: 0 };

/** What a run may use, from the text that is known and the budgets. Without all prices the cost is unknown. */
export function estimateCost(services: Pick<Surroundings, "judge_model">, scenario: Scenario): CostEstimate {
  const judge = judgeModelName(services, undefined, scenario.rubric.judge.model);
  const asksModel = judge !== BUILTIN_JUDGE;
  const judging = {
    price: asksModel ? priceOf(scenario, judge) : FREE,
    short: asksModel ? shortJudging(scenario) : NOTHING,
    long: asksModel ? longestJudging(scenario) : NOTHING,
  };
  if (!asksModel && !scenario.arms.some(isRealModel)) return SPENDS_NOTHING;
  const low = [...scenario.arms.map((arm) => lowOf(scenario, arm)), bill(judging.short, judging.price)];
  const high = [...scenario.arms.map((arm) => highOf(scenario, arm)), bill(judging.long, judging.price)];
  return {
    low_usd: sumCost(low),
    high_usd: sumCost(high),
    low_tokens: sumTokens(low),
    high_tokens: sumTokens(high),
    note: NOTE,
  };
}

const NOTE =
  `low: ${SHORT_TURNS} turns an arm, each writing ${TURN_TOKENS_OUT} tokens and reading ${TURN_TOKENS_BACK} more, ` +
  "as in the bundled scenarios, and one brief answer of the judge in each order; high: both arms at the end of their budgets, the judge with all the " +
  "evidence it may be shown and every re-ask. Nothing cached. Money is null unless every model has a price; scripts cost nothing";

const SPENDS_NOTHING: CostEstimate = {
  low_usd: 0,
  high_usd: 0,
  low_tokens: 0,
  high_tokens: 0,
  note: "Both arms replay scripts and no model judges: nothing is spent.",
};

const FREE: Price = { in: 0, out: 0, cached_in: 0 };

/** A judge has no price of its own in a scenario; the arm that uses its model may tell it. */
const priceOf = ({ arms }: Scenario, model: string): Price | null =>
  arms.find((arm) => arm.model === model)?.price_per_mtok ?? null;

interface Bill {
  readonly tokens: number;
  readonly usd: number | null;
}

const lowOf = (scenario: Scenario, arm: Arm) => bill(shortRun(scenario, arm), arm.price_per_mtok);

/** At most what the turns may write is output, which costs more; the cap ends an arm before its tokens do. */
function highOf({ policies }: Scenario, arm: Arm): Bill {
  const { max_tokens, max_turns, max_cost_usd } = effectiveBudget(policies.budget, arm.limits);
  const tokens_out = Math.min(max_tokens, max_turns * (arm.params.max_output_tokens ?? MAX_OUTPUT_TOKENS));
  const { tokens, usd } = bill({ tokens_in: max_tokens - tokens_out, tokens_out }, arm.price_per_mtok);
  return { tokens, usd: usd === null ? null : Math.min(usd, max_cost_usd ?? usd) };
}

const bill = ({ tokens_in, tokens_out }: RunSize, price: Price | null): Bill => ({
  tokens: tokens_in + tokens_out,
  usd: price === null ? null : (tokens_in * price.in + tokens_out * price.out) / 1_000_000,
});

const sumTokens = (bills: readonly Bill[]) => bills.reduce((sum, { tokens }) => sum + tokens, 0);

const sumCost = (bills: readonly Bill[]) =>
  bills.reduce<number | null>((sum, { usd }) => (sum === null || usd === null ? null : sum + usd), 0);
