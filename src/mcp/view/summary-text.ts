import type { ArmBrief, SessionSummary } from "./session-summary.ts";
import { headline } from "./verdict-view.ts";

/** A session in a few lines: state, verdict, a line for each arm. */
export function summaryText({ session_id, state, arms, verdict, rejudges, failure }: SessionSummary): string {
  return [
    `${session_id}: ${state}`,
    ...(failure ? [`Failed at stage ${failure.stage} (${failure.code}): ${failure.message}`] : []),
    ...(verdict ? [`Verdict: ${headline(verdict)}. ${verdict.statement}`] : []),
    ...arms.map(armText),
    ...rejudges.map((brief) => `Rejudged by ${brief.judge_model}: ${headline(brief)}`),
  ].join("\n");
}

function armText(arm: ArmBrief): string {
  const { arm_id, model, status, turns, tool_calls, tokens_in, tokens_out, failed_checks, probe_score } = arm;
  const { disqualified_by } = arm;
  const tokens = tokens_in === null || tokens_out === null ? "tokens unknown" : `${tokens_in + tokens_out} tokens`;
  const checks = failed_checks.length > 0 ? `failed checks: ${failed_checks.join(", ")}` : "all checks passed";
  const change = arm.changed_files === null ? [] : [changeText(arm)];
  return [
    `- ${arm_id} (${model}): ${status}, ${turns} turns, ${tool_calls} tool calls, ${tokens}, ${arm.wall_ms} ms`,
    ...disqualified_by.map((rule) => `disqualified by ${rule}`),
    ...change,
    ...(probe_score === null ? [] : [checks]),
    ...(arm.error === null ? [] : [arm.error]),
  ].join("; ");
}

const changeText = ({ changed_files, lines_added, lines_removed }: ArmBrief) =>
  `${changed_files} ${changed_files === 1 ? "file" : "files"} changed, +${lines_added} -${lines_removed} lines`;
