import { effectiveBudget } from "../arm/meter.ts";
import { BYTES_PER_TOKEN, JUDGE_OUTPUT_TOKENS, JUDGE_REASKS, MAX_OUTPUT_TOKENS } from "../domain/defaults.ts";
import type { Arm, Scenario } from "../domain/scenario.ts";
import { isJudged, scenarioBrief } from "../judge/scenario-brief.ts";
import { specOf } from "../tool/tool.ts";
import { toolbox } from "../tool/toolbox.ts";

/** Tokens, estimated from bytes. */
export interface RunSize {
  readonly tokens_in: number;
  readonly tokens_out: number;
}

/** What a judge is told of a scenario. */
export type Judgeable = Pick<Scenario, "task" | "rubric" | "policies">;

/** What counts as a short run: the fewest turns that an arm of a bundled scenario needs. */
export const SHORT_TURNS = 5;

/** What a turn writes, and what its tools give back for the next: means over the arms of the bundled scenarios, rounded. */
export const TURN_TOKENS_OUT = 150;
export const TURN_TOKENS_BACK = 550;

export const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);

/** What the first turn sends: system prompt, tools and task. */
export function firstTurnTokens({ task }: Scenario, arm: Arm): number {
  const tools = toolbox(arm.tools).map((tool) => JSON.stringify(specOf(tool)));
  return tokensOf([arm.system_prompt, task.prompt, ...tools].join("\n"));
}

/** Every turn sends again what was said before. */
export function shortRun(scenario: Scenario, arm: Arm, turns = SHORT_TURNS): RunSize {
  const first = firstTurnTokens(scenario, arm);
  const growth = (TURN_TOKENS_OUT + TURN_TOKENS_BACK) * ((turns * (turns - 1)) / 2);
  return { tokens_in: turns * first + growth, tokens_out: turns * TURN_TOKENS_OUT };
}

/** Both orders, answered at once and briefly; nothing when no criterion asks a model. */
export function shortJudging({ task, rubric, policies }: Scenario): RunSize {
  const calls = rubric.criteria.some(isJudged) ? 2 : 0;
  const brief = tokensOf(scenarioBrief(task, rubric, policies));
  return { tokens_in: calls * brief, tokens_out: calls * TURN_TOKENS_OUT };
}

/** To the end of the budgets; at most what the turns may write is output, which costs more. */
export function longestRun({ policies }: Scenario, arm: Arm): RunSize {
  const { max_tokens, max_turns } = effectiveBudget(policies.budget, arm.limits);
  const tokens_out = Math.min(max_tokens, max_turns * (arm.params.max_output_tokens ?? MAX_OUTPUT_TOKENS));
  return { tokens_in: max_tokens - tokens_out, tokens_out };
}

/** Both orders with all the evidence that may be shown of both arms, each with every re-ask; and the second hearing likewise. */
export const longestJudging = (scenario: Judgeable): RunSize => judging(scenario, 2 * 2 * (1 + JUDGE_REASKS));

/** One call in each order, without a re-ask. */
export const firstJudging = (scenario: Judgeable): RunSize => judging(scenario, 2);

function judging({ task, rubric, policies }: Judgeable, asked: number): RunSize {
  const calls = rubric.criteria.some(isJudged) ? asked : 0;
  const brief = tokensOf(scenarioBrief(task, rubric, policies));
  return {
    tokens_in: calls * (brief + 2 * rubric.judge.max_evidence_tokens),
    tokens_out: calls * JUDGE_OUTPUT_TOKENS,
  };
}
