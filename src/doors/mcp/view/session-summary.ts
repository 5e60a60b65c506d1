import { type Static, Type } from "@sinclair/typebox";
import { whyDisqualified } from "../../../domain/disqualification.ts";
import { excerpt } from "../../../domain/excerpt.ts";
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
import { CLIPS, clipTexts, fullestThatFits } from "../fit.ts";
import type { Answer } from "../tool.ts";
import { pick } from "./pick.ts";
import { briefVerdict, VerdictBrief } from "./verdict-view.ts";

/** Characters of an arm's final answer; the whole one is in its last decision. */
const ANSWER_CHARS = 600;

/** Rejudges told; each is found by its verdict_id. */
const REJUDGES = 8;

/** What is told of an arm itself. A view adds what became of its work. */
export const ARM_FACTS = [
  ...["arm_id", "title", "model", "model_served", "status", "stop_reason", "error", "turns", "tool_calls"],
  ...["tokens_in", "tokens_out", "cost_usd", "wall_ms", "working_ms", "throttled_ms", "final_answer"],
] as const;

export const ArmBrief = record("ArmBrief", {
  ...pick(ArmSummary.properties, ARM_FACTS),
  decisions: Count("Decisions in its log."),
  changed_files: nullable(Type.Integer({ minimum: 0 })),
  lines_added: nullable(Type.Integer({ minimum: 0 })),
  lines_removed: nullable(Type.Integer({ minimum: 0 })),
  probe_score: nullable(Share("Weight of the passed hidden checks.")),
  failed_checks: Type.Array(Type.String(), { description: "Hidden checks that did not pass." }),
  violations: Type.Array(Type.String(), { description: "Rules it broke or tried to break." }),
  disqualified_by: Type.Array(Type.String(), { description: "Why it was put out, a clause for each broken rule." }),
  reference_score: nullable(Share("Likeness to the known fix; evidence, not a gate.")),
});
export type ArmBrief = Static<typeof ArmBrief>;

const REJUDGE = ["verdict_id", "kind", "outcome", "winner", "decided_by", "confidence"] as const;

const RejudgeBrief = record("RejudgeBrief", {
  ...pick(Verdict.properties, REJUDGE),
  judge_model: Type.String(),
});

export const SessionView = record("SessionSummary", {
  session_id: SessionId,
  scenario: Slug(),
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
    ...{ session_id, scenario, state, created_at, finished_at, fairness, totals, failure },
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
    failed_checks: probe?.checks.filter((check) => check.status !== "pass").map((check) => check.id) ?? [],
    violations: violations.map(({ rule, subject, blocked }) => `${rule}: ${subject}${blocked ? " (refused)" : ""}`),
    disqualified_by: [...whyDisqualified(violations)],
    reference_score: reference_fix?.score ?? null,
  };
}
