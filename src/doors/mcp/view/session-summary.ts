import { type Static, Type } from "@sinclair/typebox";
import { isMissed } from "../../../domain/check-result.ts";
import { whyDisqualified } from "../../../domain/disqualification.ts";
import { excerpt } from "../../../domain/excerpt.ts";
import { memberName, withInputId } from "../../../domain/member.ts";
import { counted } from "../../../domain/number-text.ts";
import { InputId } from "../../../domain/scenario.ts";
import { Count, nullable, oneOf, record, Share, Slug, Timestamp } from "../../../domain/schema.ts";
import {
  ArmSummary,
  Fairness,
  SessionFailure,
  SessionId,
  type SessionOutcome,
  SessionTotals,
  STATES,
  TrialPlace,
} from "../../../domain/session.ts";
import { sizeOf } from "../../../domain/size-of.ts";
import { Verdict } from "../../../domain/verdict.ts";
import { suspicionLines } from "../../../domain/verdict-text.ts";
import { verdictNotes } from "../../../domain/verdict-words.ts";
import { wordsText } from "../../../domain/words.ts";
import { CLIPS, clipTexts, fullestThatFits } from "../fit.ts";
import type { Answer } from "../tool.ts";
import { pick } from "./pick.ts";
import { briefVerdict, headline, scoreFigure, VerdictBrief } from "./verdict-view.ts";

/** Characters of an arm's final answer; the whole one is in its last decision. */
const ANSWER_CHARS = 600;

/** Rejudges told; each is found by its verdict_id. */
const REJUDGES = 8;

/** What is told of an arm itself. A view adds what became of its work. */
export const ARM_FACTS = [
  ...["arm_id", "title", "model", "model_served", "status", "stop_reason", "error", "turns", "tool_calls"],
  ...["tokens_in", "tokens_out", "cost_usd", "wall_ms", "working_ms", "throttled_ms", "final_answer"],
] as const;

const ArmBrief = record("ArmBrief", {
  ...pick(ArmSummary.properties, ARM_FACTS),
  decisions: Count("Decisions in its log."),
  changed_files: nullable(Type.Integer({ minimum: 0 })),
  lines_added: nullable(Type.Integer({ minimum: 0 })),
  lines_removed: nullable(Type.Integer({ minimum: 0 })),
  probe_score: nullable(Share("Weight of the passed hidden checks.")),
  failed_checks: Type.Array(Type.String(), { description: "Hidden checks that did not pass." }),
  violations: Type.Array(Type.String(), { description: "Rules it broke or tried to break." }),
  disqualified_by: Type.Array(Type.String(), { description: "Why it was put out, a clause for each broken rule." }),
  reference_score: nullable(Share("Similarity to the reference fix; evidence, not a gate.")),
});
type ArmBrief = Static<typeof ArmBrief>;

const REJUDGE = ["verdict_id", "kind", "outcome", "winner", "decided_by", "confidence"] as const;

const RejudgeBrief = record("RejudgeBrief", {
  ...pick(Verdict.properties, REJUDGE),
  judge_model: Type.String(),
});

export const SessionView = record("SessionSummary", {
  session_id: SessionId,
  scenario: Slug(),
  input: Type.Optional(InputId),
  state: oneOf(STATES),
  created_at: Timestamp("When the session was accepted."),
  finished_at: nullable(Timestamp("When it reached a final state.")),
  trial: Type.Optional(TrialPlace),
  arms: Type.Array(ArmBrief),
  verdict: nullable(VerdictBrief),
  rejudges: Type.Array(RejudgeBrief, { description: "Later verdicts on its arms, the newest of them, oldest first." }),
  rejudges_total: Count("Later verdicts in all."),
  fairness: Fairness,
  totals: SessionTotals,
  failure: nullable(SessionFailure),
});
export type SessionView = Static<typeof SessionView>;

export function summariseSession(outcome: SessionOutcome): SessionView {
  const { session_id, scenario, state, created_at, finished_at, fairness, totals, failure, trial } = outcome;
  return {
    ...{
      session_id,
      scenario,
      ...withInputId(outcome.input?.id),
      state,
      created_at,
      finished_at,
      fairness,
      totals,
      failure,
    },
    ...(trial && { trial }),
    arms: outcome.arms.map((arm) => briefArm(arm, outcome.decisions[arm.arm_id]?.length ?? 0)),
    verdict: outcome.verdict && briefVerdict(outcome.verdict),
    rejudges: outcome.verdicts.slice(-REJUDGES).map(briefRejudge),
    rejudges_total: outcome.verdicts.length,
  };
}

/** The answer with a session's summary whose texts are as long as a result holds. */
export function summaryThatFits<Version extends Answer>(
  outcome: SessionOutcome,
  make: (summary: SessionView) => Version,
): Version {
  const summary = summariseSession(outcome);
  return fullestThatFits(CLIPS, (chars) => make(clipTexts(summary, chars)));
}

const briefRejudge = (verdict: Verdict): Static<typeof RejudgeBrief> => ({
  ...pick(verdict, REJUDGE),
  judge_model: verdict.judge.model,
});

function briefArm(arm: ArmSummary, decisions: number): ArmBrief {
  const { probe, violations, reference_fix } = arm;
  const { changed_files, added, removed } = sizeOf(arm.changes);
  return {
    ...pick(arm, ARM_FACTS),
    final_answer: arm.final_answer && excerpt(arm.final_answer, ANSWER_CHARS),
    decisions,
    changed_files,
    lines_added: added,
    lines_removed: removed,
    probe_score: probe?.score ?? null,
    failed_checks: probe?.checks.filter(isMissed).map((check) => check.id) ?? [],
    violations: violations.map(({ rule, subject, blocked }) => `${rule}: ${subject}${blocked ? " (refused)" : ""}`),
    disqualified_by: [...whyDisqualified(violations)],
    reference_score: reference_fix?.score ?? null,
  };
}

/** A session in lines: state, verdict, each arm with what it used, how its work came out and its answer, and what else differed. */
export function summaryText(
  { session_id, state, arms, verdict, ...summary }: SessionView,
  { verdict: whole, verdicts }: SessionOutcome,
): string {
  const { trial, failure, fairness, totals } = summary;
  return [
    `${session_id}: ${state}`,
    ...(summary.input === undefined ? [] : [`Row ${memberName(summary)}`]),
    ...(trial ? [`Trial ${trial.trial} of ${trial.series_id}`] : []),
    ...(failure ? [`Failed at stage ${failure.stage} (${failure.code}): ${failure.message}`] : []),
    ...(verdict && whole ? verdictLines(verdict, whole) : []),
    ...arms.flatMap(armLines),
    ...(fairness.observed.length > 0 ? [`Also differed: ${fairness.observed.join("; ")}`] : []),
    ...(totals.wall_ms === null
      ? []
      : [`In all: ${[tokensOf(totals), ...costOf(totals)].join(", ")}, ${totals.wall_ms} ms`]),
    ...(verdicts.length > 0 ? [`Rejudged ${verdicts.length} times${verdicts.length > REJUDGES ? ", last" : ""}:`] : []),
    ...verdicts
      .slice(-REJUDGES)
      .map((each) => `- ${headline(each)}, by ${each.judge.model} (verdict_id ${each.verdict_id})`),
  ].join("\n");
}

function verdictLines(verdict: VerdictBrief, whole: Verdict): string[] {
  const { statement, score_a, score_b, arm_a, arm_b, lean, flags, judge_model, verdict_id } = verdict;
  const scores = `scores ${scoreFigure(score_a)} for ${arm_a.arm_id}, ${scoreFigure(score_b)} for ${arm_b.arm_id}`;
  return [
    `Verdict: ${headline(whole)}. ${statement}`,
    [
      `Judge ${judge_model}; ${scores}`,
      ...(lean === null ? [] : [`leans to ${lean}`]),
      ...(flags.length > 0 ? [`flags: ${flags.join(", ")}`] : []),
      `verdict_id ${verdict_id}`,
    ].join("; "),
    ...verdictNotes(whole).map(wordsText),
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
  const checks = failed_checks.length > 0 ? `failed checks: ${failed_checks.join(", ")}` : "all checks passed";
  return [
    ...(changed_files === null
      ? []
      : [`${counted(changed_files, "file")} changed, +${lines_added} -${lines_removed} lines`]),
    ...(probe_score === null ? [] : [checks]),
    ...(reference_score === null ? [] : [`similarity to the reference fix ${scoreFigure(reference_score)}`]),
  ];
}

const tokensOf = ({ tokens_in, tokens_out }: Pick<ArmBrief, "tokens_in" | "tokens_out">) =>
  tokens_in === null || tokens_out === null ? "tokens unknown" : `${tokens_in + tokens_out} tokens`;

const costOf = ({ cost_usd }: Pick<ArmBrief, "cost_usd">) =>
  cost_usd === null ? [] : [cost_usd === 0 ? "0 USD" : `${cost_usd.toFixed(4)} USD`];
