import { effectiveBudget } from "../../../arms/arm/budget.ts";
import { leastFirstTurn } from "../../../arms/arm/conversation.ts";
import { BUILTIN_JUDGE } from "../../../arms/model/model-ref.ts";
import { judgeModelName } from "../../../comparison/planning/choose-judge.ts";
import { priceOf, withPrices } from "../../../comparison/planning/cost-limits.ts";
import { isRealModel } from "../../../comparison/planning/sandbox-for.ts";
import {
  firstTurnTokens,
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
import { isAnswering } from "../../../domain/answering.ts";
import type { Arm } from "../../../domain/arm.ts";
import type { CostEstimate } from "../../../domain/doctor-report.ts";
import { judgesNamed } from "../../../domain/model-name.ts";
import type { Budget } from "../../../domain/policies.ts";
import type { Price } from "../../../domain/price-list.ts";
import type { Scenario } from "../../../domain/scenario.ts";
import { costOf, sumKnown } from "../../../domain/usage.ts";
import { afterSetup, type Check, check, type Finding, fail, IDLE, pass, skip, warn } from "../check.ts";
import type { DeclaredScenario, Services } from "../services.ts";
import type { DryRun, ProbedTwice } from "./dry-run.ts";

const tokenBudget = check(
  "budget.tokens",
  "Budget of turns and tokens is large enough",
  ({ loaded }: DeclaredScenario) =>
    worst(loaded.definition.arms.map((arm) => unasked(arm) ?? tokensFor(loaded.definition, arm))),
);

const costBudget = check("budget.cost", "Cost cap", ({ services, loaded: { definition } }: DeclaredScenario) => {
  const scenario = withPrices(services.prices, definition, definition);
  return worst(scenario.arms.map((arm) => unasked(arm) ?? costFor(scenario, arm)));
});

/** Undefined for an arm whose model abeval asks. */
function unasked(arm: Arm): Finding | undefined {
  if (arm.ran) return pass(`${arm.id}: ran elsewhere`);
  return isAnswering(arm) ? pass(`${arm.id}: answers by itself`) : undefined;
}

/** An arm that tests its work runs commands like the checks, so its time must suffice for them. */
export const secondsBudget = afterSetup(
  "budget.seconds",
  "Budget of seconds is large enough",
  async (dryRun: DryRun, signal) => {
    const { definition } = dryRun.loaded;
    const probed = await dryRun.untouched(signal);
    if (probed === null) return skip(IDLE.no_probe);
    const measured = durations(probed).reduce((sum, ms) => sum + ms, 0) / 1000;
    return worst([
      ...definition.arms.map((arm) => secondsFor(definition, arm, measured)),
      ...slowChecks(definition, probed),
    ]);
  },
);

function tokensFor(scenario: Scenario, arm: Arm): Finding {
  const { max_tokens, max_turns } = budgetOf(scenario, arm);
  const answers = 1 + (scenario.task.follow_ups?.length ?? 0);
  if (max_turns < answers)
    return fail(
      `${arm.id}: ${max_turns} turns for ${answers} answers: it cannot finish the conversation`,
      "raise max_turns, or leave out follow_ups",
    );
  const first = firstTurnTokens(scenario, arm);
  const { tokens_in, tokens_out } = shortRun(scenario, arm);
  const figures = `${arm.id}: ${max_tokens} tokens, the first turn sends about ${first}, ${SHORT_TURNS} turns about ${tokens_in + tokens_out}`;
  if (first >= max_tokens) return fail(figures, "raise max_tokens: the arm would be stopped after its first turn");
  return tokens_in + tokens_out > max_tokens
    ? warn(figures, "raise max_tokens, or shorten the prompts")
    : pass(figures);
}

/** A run is refused when it has a cap and no price. A script costs nothing. */
function costFor(scenario: Scenario, arm: Arm): Finding {
  const { max_cost_usd } = budgetOf(scenario, arm);
  if (max_cost_usd === null) return pass(`${arm.id}: no cap`);
  const price = arm.price_per_mtok;
  const needed = costOf(price, shortRun(scenario, arm));
  if (needed === null)
    return fail(`${arm.id}: ${arm.model} has no price, which its cap (${max_cost_usd} USD) needs`, PRICES_HINT);
  if (needed === 0) return pass(`${arm.id}: ${arm.model} costs nothing`);
  const least = leastFirstTurn(arm, scenario.task);
  if (least !== null && least > max_cost_usd)
    return fail(
      `${arm.id}: cap ${max_cost_usd} USD, but the first turn costs at least ${least.toFixed(4)} USD`,
      "raise max_cost_usd, or use a cheaper model; until then a run is refused",
    );
  const figures = `${arm.id}: cap ${max_cost_usd} USD, ${SHORT_TURNS} turns cost about ${needed.toFixed(4)} USD`;
  return needed > max_cost_usd ? warn(figures, "raise max_cost_usd, or use a cheaper model") : pass(figures);
}

const PRICES_HINT = "give price_per_mtok in the scenario, or the model in the file of --prices; or remove the cap";

function secondsFor(scenario: Scenario, arm: Arm, measured: number): Finding {
  const { max_seconds } = budgetOf(scenario, arm);
  const figures = `${arm.id}: ${max_seconds} s, the checks take ${measured.toFixed(1)} s here`;
  if (measured >= max_seconds) return fail(figures, "raise max_seconds, or make the checks faster");
  return measured > max_seconds / 2
    ? warn(figures, "raise max_seconds: little time is left for the model")
    : pass(figures);
}

/** Checks that take more than half of their time: a slower machine would end them. */
function slowChecks({ task }: Scenario, probed: ProbedTwice): readonly Finding[] {
  const took = durations(probed);
  return (task.probe?.checks ?? []).flatMap(({ id, timeout_s }, index) => {
    const seconds = (took[index] ?? 0) / 1000;
    return seconds > timeout_s / 2
      ? [warn(`${id}: took ${seconds.toFixed(1)} s of ${timeout_s} s`, "raise its timeout_s")]
      : [];
  });
}

/** The longer of two runs, for each check. */
const durations = ([first, second]: ProbedTwice): readonly number[] =>
  first.checks.map(({ duration_ms }, index) => Math.max(duration_ms, second.checks[index]?.duration_ms ?? 0));

const budgetOf = ({ policies }: Scenario, { limits }: Arm): Budget => effectiveBudget(policies.budget, limits);

/** Joins findings: the worst status, and what all findings of that status say. */
function worst(findings: readonly Finding[]): Finding {
  const status = (["fail", "warn", "pass"] as const).find((name) =>
    findings.some((finding) => finding.status === name),
  );
  const told = findings.filter((finding) => finding.status === status);
  const hints = new Set(told.flatMap(({ hint }) => hint ?? []));
  return {
    status: status ?? "pass",
    detail: told.map(({ detail }) => detail).join("; "),
    hint: hints.size === 0 ? null : [...hints].join("; "),
  };
}

export const budgetChecks: readonly Check<DeclaredScenario>[] = [tokenBudget, costBudget];

const NOTHING: RunSize = { tokens_in: 0, tokens_out: 0 };

/** What a run may use, from the text that is known and the budgets. Without all prices the cost is unknown. */
export function estimateCost(
  { judge_model, prices }: Pick<Services, "judge_model" | "prices">,
  definition: Scenario,
): CostEstimate {
  const scenario = withPrices(prices, definition, definition);
  const judge = judgeModelName({ judge_model }, undefined, scenario.rubric.judge.model);
  const asksModel = judge !== BUILTIN_JUDGE;
  const { arms } = scenario;
  const isFree = !asksModel && !arms.some(isRealModel);
  const price = priceOf(prices, definition, judge);
  const judges = judgesNamed(judge).length;
  // The price of a panel is that of a token to each of its judges.
  const judgeBill = (size: RunSize) => ({ ...bill(size, price), tokens: judges * (size.tokens_in + size.tokens_out) });
  const low = arms.map((arm) => shortBill(scenario, arm));
  const high = arms.map((arm) => longestBill(scenario, arm));
  const judging = {
    low: judgeBill(asksModel ? shortJudging(scenario) : NOTHING),
    high: judgeBill(asksModel ? longestJudging(scenario) : NOTHING),
  };
  const usd = (low_bill: Bill, high_bill: Bill | undefined) =>
    isFree ? { likely_usd: 0, bound_usd: 0 } : { likely_usd: low_bill.usd, bound_usd: high_bill?.usd ?? null };
  const round = arms.length > 2 && {
    arms: arms.map(({ id }, place) => ({ arm_id: id, ...usd(low[place] ?? judging.low, high[place]) })),
    judging: usd(judging.low, judging.high),
  };
  if (isFree) return { ...SPENDS_NOTHING, ...(round && { round }) };
  // Each candidate is judged with the control.
  const judgings = Array.from({ length: Math.max(1, arms.length - 1) });
  const lows = [...low, ...judgings.map(() => judging.low)];
  const highs = [...high, ...judgings.map(() => judging.high)];
  const [likely_usd, bound_usd] = [lows, highs].map((bills) => sumKnown(bills.map((one) => one.usd))) as [Usd, Usd];
  return {
    ...{ low_usd: likely_usd, high_usd: bound_usd, likely_usd, bound_usd },
    low_tokens: sumTokens(lows),
    high_tokens: sumTokens(highs),
    note: NOTE,
    ...(round && { round }),
  };
}

type Usd = number | null;

const NOTE =
  `likely: ${SHORT_TURNS} turns an arm, each writing ${TURN_TOKENS_OUT} tokens and reading ${TURN_TOKENS_BACK} more, ` +
  "as in the bundled scenarios, one for each answer where it has no tools, and one brief answer of the judge in each order; at most: the arms at the end of their budgets, the judge with all the " +
  "evidence it may be shown, every re-ask and a masked repetition. Nothing cached. Money is null unless every model has a price; scripts cost nothing";

const SPENDS_NOTHING: CostEstimate = {
  ...{ low_usd: 0, high_usd: 0, likely_usd: 0, bound_usd: 0 },
  low_tokens: 0,
  high_tokens: 0,
  note: "The arms replay scripts and no model judges: nothing is spent.",
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

/** The low end is a few turns, or the whole budget when that is smaller. */
function shortBill(scenario: Scenario, arm: Arm): Bill {
  const [short, longest] = [bill(shortRun(scenario, arm), arm.price_per_mtok), longestBill(scenario, arm)];
  return {
    tokens: Math.min(short.tokens, longest.tokens),
    usd: short.usd === null || longest.usd === null ? null : Math.min(short.usd, longest.usd),
  };
}

const sumTokens = (bills: readonly Bill[]) => bills.reduce((sum, { tokens }) => sum + tokens, 0);
