import { effectiveBudget } from "../../arms/arm/budget.ts";
import { specOf } from "../../arms/tool/tool.ts";
import { toolbox } from "../../arms/tool/toolbox.ts";
import type { Arm } from "../../domain/arm.ts";
import { BYTES_PER_TOKEN, JUDGE_OUTPUT_TOKENS, JUDGE_REASKS, MAX_OUTPUT_TOKENS } from "../../domain/defaults.ts";
import type { Price } from "../../domain/price-list.ts";
import type { Scenario } from "../../domain/scenario.ts";
import type { SessionSettings } from "../../domain/session-settings.ts";
import { promptFor } from "../../domain/task.ts";
import { costOf, dearestToken, mostCostOf, sumKnown } from "../../domain/usage.ts";
import { isJudged, scenarioBrief } from "../judge/scenario-brief.ts";
import { serversOf } from "./mcp-tools.ts";

/** Tokens, estimated from bytes. */
export interface RunSize {
  readonly tokens_in: number;
  readonly tokens_out: number;
}

/** What a judge is told of a scenario. */
type Judgeable = Pick<Scenario, "task" | "rubric" | "policies"> & Partial<Pick<Scenario, "arms">>;

/** Turns of a short run: the fewest that an arm of a bundled scenario needs. */
export const SHORT_TURNS = 5;

/** Tokens that a turn writes, and that its tools give back. Means over the arms of the bundled scenarios, rounded. */
export const TURN_TOKENS_OUT = 150;
export const TURN_TOKENS_BACK = 550;

const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);

/**
 * Tokens of the prompt and the tools that an agent brings along; the low end. Requests of the tried ones have 40 kB (Codex) to
 * 116 kB (Claude Code).
 */
const AGENT_TOKENS = 12_000;

/** The first turn sends the system prompt, the tools and the task. What an agent of the scenario's own sends is not known. */
export function firstTurnTokens({ task }: Scenario, arm: Arm): number {
  const prompt = promptFor(task, arm);
  if (arm.agent) return tokensOf(prompt) + (arm.agent.use === null ? 0 : AGENT_TOKENS);
  const tools = toolbox(arm.tools).map((tool) => JSON.stringify(specOf(tool)));
  const before = (task.messages ?? []).map(({ text }) => text);
  return tokensOf([arm.system_prompt, ...before, prompt, ...tools].join("\n"));
}

/** Answers that the task asks for: to its prompt, and to each follow-up. */
const answersOf = ({ follow_ups = [] }: Scenario["task"]): number => 1 + follow_ups.length;

/** It can only answer: each answer takes one turn. One that its output limit cuts goes on in another. */
const onlyAnswers = (arm: Arm): boolean =>
  arm.agent === undefined && arm.ran === undefined && arm.tools.length === 0 && serversOf(arm).length === 0;

const shortTurns = ({ task }: Scenario, arm: Arm): number =>
  onlyAnswers(arm) ? answersOf(task) : Math.max(SHORT_TURNS, answersOf(task));

/** Every turn sends the whole conversation again. */
export function shortRun(scenario: Scenario, arm: Arm): RunSize {
  const turns = shortTurns(scenario, arm);
  const back = onlyAnswers(arm) ? 0 : TURN_TOKENS_BACK;
  const growth = (TURN_TOKENS_OUT + back) * sumBelow(turns) + followUpTokens(scenario, turns);
  return { tokens_in: turns * firstTurnTokens(scenario, arm) + growth, tokens_out: turns * TURN_TOKENS_OUT };
}

/** How often the first of so many turns are sent again. */
const sumBelow = (turns: number): number => (turns * (turns - 1)) / 2;

/** Each follow-up is sent with the turn that answers it, and with all that come after. */
const followUpTokens = ({ task: { follow_ups = [] } }: Scenario, turns: number): number =>
  follow_ups.reduce((sum, text, index) => sum + tokensOf(text) * Math.max(0, turns - 1 - index), 0);

/** A brief answer in each order, about as much as a short run writes. */
export function shortJudging(scenario: Judgeable): RunSize {
  const seen = shownTokens(scenario, TURN_TOKENS_OUT, SHORT_TURNS * TURN_TOKENS_OUT);
  return judging(scenario, { calls: 2, evidence: 2 * seen, answer: TURN_TOKENS_OUT });
}

/** A run to the end of its budgets. As many tokens as the turns may write are output, which costs more than input. */
export function longestRun(scenario: Scenario, arm: Arm): RunSize {
  const { max_tokens, max_turns } = effectiveBudget(scenario.policies.budget, arm.limits);
  const each = arm.params.max_output_tokens ?? MAX_OUTPUT_TOKENS;
  const turns = onlyAnswers(arm) ? Math.min(max_turns, answersOf(scenario.task)) : max_turns;
  const tokens_out = Math.min(max_tokens, turns * each);
  if (!onlyAnswers(arm)) return { tokens_in: max_tokens - tokens_out, tokens_out };
  const sent = turns * firstTurnTokens(scenario, arm) + each * sumBelow(turns) + followUpTokens(scenario, turns);
  return { tokens_in: Math.min(max_tokens - tokens_out, sent), tokens_out };
}

/** Two hearings in both orders, each with every re-ask and all the evidence that may be shown. */
export const longestJudging = (scenario: Judgeable): RunSize => fullJudging(scenario, 2 * 2 * (1 + JUDGE_REASKS));

/** One call in each order, with all the evidence and without a re-ask. */
export const firstJudging = (scenario: Judgeable): RunSize => fullJudging(scenario, 2);

function fullJudging(scenario: Judgeable, calls: number): RunSize {
  const answers = scenario.arms?.map(({ params }) => params.max_output_tokens ?? MAX_OUTPUT_TOKENS) ?? [];
  const seen = shownTokens(scenario, Math.max(0, ...answers), scenario.rubric.judge.max_evidence_tokens);
  return judging(scenario, { calls, evidence: 2 * seen, answer: JUDGE_OUTPUT_TOKENS });
}

/**
 * Tokens that a judge sees of one arm: its answers, where it leaves nothing else, each once as the work and once in its log, with marks
 * and what the hidden checks print; else `otherwise`.
 * @param answer tokens of one answer
 */
function shownTokens({ task, rubric, arms }: Judgeable, answer: number, otherwise: number): number {
  const answers = 2 * answersOf(task) * answer + MARKS_TOKENS + (task.probe?.checks.length ?? 0) * CHECK_TOKENS;
  return Math.min(rubric.judge.max_evidence_tokens, arms?.every(onlyAnswers) ? answers : otherwise);
}

/** Tokens of headings and notes around what an arm left, and of what a judge reads of one check. */
const MARKS_TOKENS = 200;
const CHECK_TOKENS = 200;

interface JudgingSize {
  readonly calls: number;
  /** Tokens of a call. */
  readonly evidence: number;
  readonly answer: number;
}

/** The size of judging; zero when no criterion asks a model. */
function judging({ task, rubric, policies }: Judgeable, { calls, evidence, answer }: JudgingSize): RunSize {
  if (!rubric.criteria.some(isJudged)) return { tokens_in: 0, tokens_out: 0 };
  const brief = tokensOf(scenarioBrief(task, rubric, policies));
  return { tokens_in: calls * (brief + evidence), tokens_out: calls * answer };
}

/**
 * What a run costs where each arm is short and the judge brief, by the parts of a run; null without a price. It never exceeds what
 * the parts can cost.
 */
export function likelyCostOfRun(scenario: Scenario, judge_price: Price | null): CostByPart {
  const bound = worstCaseOfRun(scenario, judge_price);
  const within = (usd: number | null, most: number | null) =>
    usd === null || most === null ? null : Math.min(usd, most);
  const ofArm = (arm: Arm, most: number | null) => within(costOf(arm.price_per_mtok, shortRun(scenario, arm)), most);
  return {
    arms: [ofArm(scenario.arms[0], bound.arms[0]), ofArm(scenario.arms[1], bound.arms[1])],
    judge: within(costOf(judge_price, shortJudging(scenario)), bound.judge),
  };
}

/** By the parts of a run, USD; null where it is unknown. */
export interface CostByPart {
  readonly arms: readonly [number | null, number | null];
  readonly judge: number | null;
}

/** The most that each part of a run can cost within its budgets; null without a price. */
export const worstCaseOfRun = (scenario: Scenario, judge_price: Price | null): CostByPart => ({
  arms: [worstCaseOfArm(scenario, scenario.arms[0]), worstCaseOfArm(scenario, scenario.arms[1])],
  judge: worstCaseOfJudging(scenario, judge_price),
});

export const totalOf = ({ arms, judge }: CostByPart): number | null => sumKnown([...arms, judge]);

/** What somebody pays of a run's cost: what is replayed was paid for when it was recorded. */
export function payable({ arms: [first, second] }: Scenario, replayed: Replayed, { arms, judge }: CostByPart) {
  const unlessReplayed = (who: string, usd: number | null) => (replayed?.includes(who) ? 0 : usd);
  return sumKnown([
    first.ran ? 0 : unlessReplayed(first.id, arms[0]),
    second.ran ? 0 : unlessReplayed(second.id, arms[1]),
    unlessReplayed("judge", judge),
  ]);
}

/** Which parts of a run are replayed, as `SessionSettings` says it. */
type Replayed = SessionSettings["replayed"];

/**
 * A cost limit can end the arm before its tokens are used up. How much a turn of an agent of somebody else writes, and how long
 * it has its input kept, nobody limits.
 */
export function worstCaseOfArm(scenario: Scenario, arm: Arm): number | null {
  const { max_cost_usd, max_tokens } = effectiveBudget(scenario.policies.budget, arm.limits);
  const price = arm.price_per_mtok;
  const usd = arm.agent
    ? price && (max_tokens * dearestToken(price)) / 1_000_000
    : mostCostOf(price, longestRun(scenario, arm));
  return usd === null ? null : Math.min(usd, max_cost_usd ?? usd);
}

export const worstCaseOfJudging = (scenario: Judgeable, price: Price | null): number | null =>
  mostCostOf(price, longestJudging(scenario));
