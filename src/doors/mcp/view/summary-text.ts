import { suspicionLines } from "../../../domain/suspicion-text.ts";
import type { ArmBrief, SessionView } from "./session-summary.ts";
import { headline, type VerdictBrief } from "./verdict-view.ts";

/** A session in lines: state, verdict, each arm with what it used, how its work came out and its answer, and what else differed. */
export function summaryText({ session_id, state, arms, verdict, ...summary }: SessionView): string {
  const { trial, failure, fairness, totals, rejudges, rejudges_total } = summary;
  return [
    `${session_id}: ${state}`,
    ...(trial ? [`Trial ${trial.trial} of ${trial.series_id}`] : []),
    ...(failure ? [`Failed at stage ${failure.stage} (${failure.code}): ${failure.message}`] : []),
    ...(verdict ? verdictLines(verdict) : []),
    ...arms.flatMap(armLines),
    ...(fairness.observed.length > 0 ? [`Also differed: ${fairness.observed.join("; ")}`] : []),
    ...(totals.wall_ms === null
      ? []
      : [`In all: ${[tokensOf(totals), ...costOf(totals)].join(", ")}, ${totals.wall_ms} ms`]),
    ...(rejudges_total > 0
      ? [`Rejudged ${rejudges_total} times${rejudges_total > rejudges.length ? ", last" : ""}:`]
      : []),
    ...rejudges.map((brief) => `- ${headline(brief)}, by ${brief.judge_model} (verdict_id ${brief.verdict_id})`),
  ].join("\n");
}

function verdictLines(verdict: VerdictBrief): string[] {
  const { statement, score_a, score_b, arm_a, arm_b, lean, flags, judge_model, verdict_id } = verdict;
  const scores = `scores ${scoreOf(score_a)} for ${arm_a.arm_id}, ${scoreOf(score_b)} for ${arm_b.arm_id}`;
  return [
    `Verdict: ${headline(verdict)}. ${statement}`,
    [
      `Judge ${judge_model}; ${scores}`,
      ...(lean === null ? [] : [`leans to ${lean}`]),
      ...(flags.length > 0 ? [`flags: ${flags.join(", ")}`] : []),
      `verdict_id ${verdict_id}`,
    ].join("; "),
    ...suspicionLines(verdict).map((line) => `Suspected words of ${line}`),
  ];
}

const armLines = (arm: ArmBrief) => [
  `- ${[usedText(arm), ...endText(arm), ...workText(arm), ...(arm.error === null ? [] : [arm.error])].join("; ")}`,
  ...(arm.final_answer ? [`  answer: ${arm.final_answer.trim().replaceAll(/\s+/g, " ")}`] : []),
];

function usedText({ arm_id, model, status, turns, tool_calls, wall_ms, ...arm }: ArmBrief): string {
  const used = [`${turns} turns`, `${tool_calls} tool calls`, tokensOf(arm), ...costOf(arm), `${wall_ms} ms`];
  return `${arm_id} (${model}): ${[status, ...used].join(", ")}`;
}

/** Why it did not simply finish, and which rules it met. */
function endText({ status, stop_reason, disqualified_by, violations, throttled_ms }: ArmBrief): string[] {
  const stopped = status === "limit_reached" && stop_reason !== null ? [`stopped by ${stop_reason}`] : [];
  const broken = disqualified_by.length > 0 ? [`disqualified: ${disqualified_by.join(" and ")}`] : [];
  const met = violations.length > 0 ? [`rules broken or tried: ${violations.join(", ")}`] : [];
  return [
    ...stopped,
    ...broken,
    ...met,
    ...(throttled_ms > 0 ? [`${throttled_ms} ms of it lost to the provider`] : []),
  ];
}

function workText({ changed_files, lines_added, lines_removed, probe_score, ...arm }: ArmBrief): string[] {
  const { failed_checks, reference_score } = arm;
  const files = `${changed_files} ${changed_files === 1 ? "file" : "files"} changed, +${lines_added} -${lines_removed} lines`;
  const checks = failed_checks.length > 0 ? `failed checks: ${failed_checks.join(", ")}` : "all checks passed";
  return [
    ...(changed_files === null ? [] : [files]),
    ...(probe_score === null ? [] : [checks]),
    ...(reference_score === null ? [] : [`likeness to the known fix ${scoreOf(reference_score)}`]),
  ];
}

const tokensOf = ({ tokens_in, tokens_out }: Pick<ArmBrief, "tokens_in" | "tokens_out">) =>
  tokens_in === null || tokens_out === null ? "tokens unknown" : `${tokens_in + tokens_out} tokens`;

const costOf = ({ cost_usd }: Pick<ArmBrief, "cost_usd">) =>
  cost_usd === null ? [] : [cost_usd === 0 ? "0 USD" : `${cost_usd.toFixed(4)} USD`];

const scoreOf = (score: number | null) => (score === null ? "unknown" : score.toFixed(2));
