import { type Static, Type } from "@sinclair/typebox";
import type { Facts } from "../../../domain/evidence.ts";
import { Count, record } from "../../../domain/schema.ts";
import { Verdict } from "../../../domain/verdict.ts";
import { armNames, decidedText, suspicionLines } from "../../../domain/verdict-text.ts";
import { verdictHeadline, verdictNotes } from "../../../domain/verdict-words.ts";
import { wordsText } from "../../../domain/words.ts";
import { clipTexts, fullestThatFits } from "../fit.ts";
import type { Answer } from "../tool.ts";
import { pick } from "./pick.ts";

/** Why a gate is shut, and by which inputs. The HTTP API's document describes the fields; here they would fill much of the list of tools. */
export const ORIGIN_FIELDS = {
  gate_reasons: Type.Optional(
    Type.Unsafe<NonNullable<Verdict["gate_reasons"]>>(Type.Record(Type.String(), Type.Unknown())),
  ),
  inputs_from_checkout: Type.Optional(
    Type.Unsafe<NonNullable<Verdict["inputs_from_checkout"]>>(Type.Array(Type.Unknown())),
  ),
};

const BRIEF = [
  ...["verdict_id", "created_at", "kind", "arm_a", "arm_b", "outcome", "winner", "winner_side", "lean"],
  ...[
    "lean_side",
    "gate",
    "gate_reasons",
    "decided_by",
    "confidence",
    "score_a",
    "score_b",
    "score_gap",
    "flags",
    "inputs_from_checkout",
    "suspicions",
    "statement",
  ],
] as const;

/** Who won, how surely, and why in a sentence. */
export const VerdictBrief = record("VerdictBrief", {
  ...pick(Verdict.properties, BRIEF),
  ...ORIGIN_FIELDS,
  judge_model: Type.String(),
});
export type VerdictBrief = Static<typeof VerdictBrief>;

export const briefVerdict = (verdict: Verdict): VerdictBrief => ({
  ...pick(verdict, BRIEF),
  judge_model: verdict.judge.model,
});

/** All but the judge's single calls. */
export const VERDICT_FACTS = [
  ...BRIEF,
  ...[
    "scenario",
    "input",
    "scenario_digest",
    "net_vote",
    "agreement",
    "position_pull",
    "criteria",
    "sensitivity",
    "facts",
  ],
  ...["judge", "usage", "rationale", "series"],
] as const;

/** A verdict with its reasons; the judge's single calls are counted, not shown. */
export const VerdictView = record("VerdictView", {
  ...pick(Verdict.properties, VERDICT_FACTS),
  ...ORIGIN_FIELDS,
  /** `Facts` of each side. The HTTP API's document describes the fields; here they would fill much of the list of tools. */
  facts: Type.Unsafe<Verdict["facts"]>(Type.Record(Type.String(), Type.Unknown())),
  calls: Count("Times the judge was asked; their answers are in detail `full`."),
});
export type VerdictView = Static<typeof VerdictView>;

/** A verdict with at most `quotes` citations for each criterion. */
export function viewVerdict(verdict: Verdict, quotes: number): VerdictView {
  const { a, b } = verdict.facts;
  const criteria = verdict.criteria.map((criterion) => ({
    ...criterion,
    evidence: criterion.evidence.slice(0, quotes),
  }));
  const shortened = (facts: Facts) => ({ ...facts, violations: facts.violations.slice(0, VIOLATIONS) });
  return {
    ...pick(verdict, VERDICT_FACTS),
    criteria,
    facts: { a: shortened(a), b: shortened(b) },
    calls: verdict.calls.length,
  };
}

/** Violations told for each arm; detail `full` has all. */
const VIOLATIONS = 10;

interface Level {
  /** Citations for each criterion. */
  readonly quotes: number;
  readonly chars: number;
}

const LEVELS: readonly [Level, ...Level[]] = [
  { quotes: Number.POSITIVE_INFINITY, chars: Number.POSITIVE_INFINITY },
  { quotes: 4, chars: 1_000 },
  { quotes: 2, chars: 400 },
  { quotes: 0, chars: 300 },
  { quotes: 0, chars: 160 },
];

/** The answer with as much of a verdict's reasons as a result holds; scores and outcome are always whole. */
export const verdictThatFits = <Version extends Answer>(verdict: Verdict, make: (view: VerdictView) => Version) =>
  fullestThatFits(LEVELS, ({ quotes, chars }) => make(clipTexts(viewVerdict(verdict, quotes), chars)));

/** Outcome and statement, then a line for each criterion. @param whole the verdict that is viewed */
export function verdictText(verdict: VerdictView, whole: Verdict): string {
  const { arm_a, arm_b, flags } = verdict;
  return [
    headline(whole),
    verdict.statement,
    `a = ${arm_a.arm_id} of ${arm_a.session_id}; b = ${arm_b.arm_id} of ${arm_b.session_id}`,
    ...verdict.criteria.map(criterionLine),
    ...verdictNotes(whole).map(wordsText),
    ...(flags.length > 0 ? [`flags: ${flags.join(", ")}`] : []),
    ...suspicionLines(verdict).map((line) => `suspected words of ${line}`),
  ].join("\n");
}

/** What the text leaves out, as JSON. */
export function verdictRest({ statement: _, ...verdict }: VerdictView): string {
  const criteria = verdict.criteria.map(({ note: _n, ...criterion }) => criterion);
  return JSON.stringify({ ...verdict, criteria });
}

/** Who won, or why nobody did, and how surely. */
export function headline(verdict: Verdict): string {
  const names = armNames(verdict.arm_a.arm_id, verdict.arm_b.arm_id);
  return `${wordsText(verdictHeadline(verdict, names))} ${decidedText(verdict)}`.trim();
}

function criterionLine({ id, weight, score_a, score_b, supported, note }: VerdictView["criteria"][number]): string {
  const scores = supported ? `a ${scoreFigure(score_a)}, b ${scoreFigure(score_b)}` : "not judged";
  return `- ${id} (weight ${weight}): ${scores}${note ? `; ${note}` : ""}`;
}

export const scoreFigure = (score: number | null) => (score === null ? "unknown" : score.toFixed(2));
