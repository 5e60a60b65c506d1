import { BUILTIN_JUDGE } from "../../../arms/model/model-ref.ts";
import { judgeModelName } from "../../../comparison/planning/choose-judge.ts";
import { priceOf, withPrices } from "../../../comparison/planning/prices.ts";
import { isRealModel } from "../../../comparison/planning/sandbox-for.ts";
import {
  longestJudging,
  longestRun,
  type RunSize,
  SHORT_TURNS,
  shortJudging,
  shortRun,
  TURN_TOKENS_BACK,
  TURN_TOKENS_OUT,
  worstCaseOfArm,
} from "../../../comparison/planning/worst-case-cost.ts";
import type { Arm } from "../../../domain/arm.ts";
import type { CostEstimate } from "../../../domain/health.ts";
import { judgesNamed } from "../../../domain/model-name.ts";
import type { Price } from "../../../domain/price-list.ts";
import type { Scenario } from "../../../domain/scenario.ts";
import { costOf, sumKnown } from "../../../domain/usage.ts";
import type { Services } from "../services.ts";

const NOTHING: RunSize = { tokens_in: 0, tokens_out: 0 };

/** What a run may use, from the text that is known and the budgets. Without all prices the cost is unknown. */
export function estimateCost(
  { judge_model, prices }: Pick<Services, "judge_model" | "prices">,
  definition: Scenario,
): CostEstimate {
  const scenario = withPrices(prices, definition, definition);
  const judge = judgeModelName({ judge_model }, undefined, scenario.rubric.judge.model);
  const asksModel = judge !== BUILTIN_JUDGE;
  if (!asksModel && !scenario.arms.some(isRealModel)) return SPENDS_NOTHING;
  const price = priceOf(prices, definition, judge);
  const judges = judgesNamed(judge).length;
  // The price of a panel is that of a token to each of its judges.
  const judgeBill = (size: RunSize) => ({ ...bill(size, price), tokens: judges * (size.tokens_in + size.tokens_out) });
  const low = [
    ...scenario.arms.map((arm) => shortBill(scenario, arm)),
    judgeBill(asksModel ? shortJudging(scenario) : NOTHING),
  ];
  const high = [
    ...scenario.arms.map((arm) => longestBill(scenario, arm)),
    judgeBill(asksModel ? longestJudging(scenario) : NOTHING),
  ];
  return {
    low_usd: sumKnown(low.map(({ usd }) => usd)),
    high_usd: sumKnown(high.map(({ usd }) => usd)),
    low_tokens: sumTokens(low),
    high_tokens: sumTokens(high),
    note: NOTE,
  };
}

const NOTE =
  `low: ${SHORT_TURNS} turns an arm, each writing ${TURN_TOKENS_OUT} tokens and reading ${TURN_TOKENS_BACK} more, ` +
  "as in the bundled scenarios, and one brief answer of the judge in each order; high: both arms at the end of their budgets, the judge with all the " +
  "evidence it may be shown, every re-ask and a masked repetition. Nothing cached. Money is null unless every model has a price; scripts cost nothing";

const SPENDS_NOTHING: CostEstimate = {
  low_usd: 0,
  high_usd: 0,
  low_tokens: 0,
  high_tokens: 0,
  note: "Both arms replay scripts and no model judges: nothing is spent.",
};

interface Bill {
  readonly tokens: number;
  readonly usd: number | null;
}

const bill = (size: RunSize, price: Price | null): Bill => ({
  tokens: size.tokens_in + size.tokens_out,
  usd: costOf(price, size),
});

const longestBill = (scenario: Scenario, arm: Arm): Bill => ({
  ...bill(longestRun(scenario, arm), null),
  usd: worstCaseOfArm(scenario, arm),
});

/** A budget that is smaller than a few turns is also the low end. */
function shortBill(scenario: Scenario, arm: Arm): Bill {
  const [short, longest] = [bill(shortRun(scenario, arm), arm.price_per_mtok), longestBill(scenario, arm)];
  return {
    tokens: Math.min(short.tokens, longest.tokens),
    usd: short.usd === null || longest.usd === null ? null : Math.min(short.usd, longest.usd),
  };
}

const sumTokens = (bills: readonly Bill[]) => bills.reduce((sum, { tokens }) => sum + tokens, 0);
