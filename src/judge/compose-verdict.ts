import type { Price } from "../domain/scenario.ts";
import type { ArmSummary } from "../domain/session.ts";
import { FLAGS, type Flag, type JudgeCall, type Side, type Suspicion, type Verdict } from "../domain/verdict.ts";
import { confidenceOf } from "./confidence.ts";
import { criterionScore } from "./criterion-scores.ts";
import type { Gates } from "./gates.ts";
import type { Hearing } from "./hearing.ts";
import type { Case } from "./judge.ts";
import { type Measured, measure } from "./measured.ts";
import { isAtOdds } from "./preference.ts";
import { type Basis, decide, type Standing, suspectsOf } from "./score.ts";
import { sensitivityOf } from "./sensitivity.ts";
import { labelOf, sheetsOf, type Weights, weigh } from "./sheets.ts";
import { type Account, costLimited, gateFinding, statementOf } from "./statement.ts";
import { usageOf } from "./usage.ts";

export interface Proceedings {
  readonly kase: Case;
  readonly facts: Verdict["facts"];
  readonly gates: Gates;
  readonly terms: Terms;
  readonly names: Readonly<Record<Side, string>>;
  readonly hearing: Hearing;
  readonly model_name: string;
  readonly price: Price | null;
  readonly verdict_id: string;
  readonly created_at: string;
  readonly latency_ms: number;
}

/** What a rubric and the facts fix before anybody is heard. */
export interface Terms {
  readonly basis: Omit<Basis, "calls" | "suspects"> & { readonly measured: readonly Measured[] };
  readonly weights: Weights;
}

export function termsOf({ rubric, task, a, b }: Case, gates: Gates): Terms {
  const arms = { a: a.summary, b: b.summary };
  const measured = rubric.criteria.flatMap((criterion) =>
    criterion.kind === "measured" ? [measure(criterion, arms, task.deliverable)] : [],
  );
  return {
    basis: { measured, gates, tie_margin: rubric.tie_margin },
    weights: new Map(rubric.criteria.map(({ id, weight }) => [id, weight])),
  };
}

/** Everything known becomes the verdict: by code alone, the same for every judge. */
export function composeVerdict(proceedings: Proceedings): Verdict {
  const { kase, facts, gates, names, hearing } = proceedings;
  const { weights } = proceedings.terms;
  const { measured, tie_margin } = proceedings.terms.basis;
  const { calls } = hearing;
  const suspects = suspectsOf(hearing.suspicions);
  const basis: Basis = { ...proceedings.terms.basis, calls, suspects };
  const standing = decide(basis, weights);
  const answers = labelled(basis, calls, weights);
  const at_odds = isAtOdds({ calls, tie_margin }, weights);
  const flags = flagsOf(proceedings, standing, at_odds);
  const account: Account = {
    kind: kase.kind,
    scenario: kase.scenario,
    judge: proceedings.model_name,
    names,
    standing,
    gates,
    facts,
    turns: { a: kase.a.summary.turns, b: kase.b.summary.turns },
    required: { a: requiredChecks(kase.a.summary), b: requiredChecks(kase.b.summary) },
    flags,
    model_asked: hearing.calls.length > 0,
    measured: measured.some(({ id, supported }) => supported && (weights.get(id) ?? 0) > 0),
  };
  const idOf = (side: Side | null) => (side === null ? null : kase[side].pointer.arm_id);
  return {
    verdict_id: proceedings.verdict_id,
    created_at: proceedings.created_at,
    kind: kase.kind,
    scenario: kase.scenario,
    scenario_digest: kase.scenario_digest,
    arm_a: kase.a.pointer,
    arm_b: kase.b.pointer,
    outcome: standing.outcome,
    winner: idOf(standing.winner_side),
    winner_side: standing.winner_side,
    lean: idOf(standing.lean_side),
    lean_side: standing.lean_side,
    decided_by: standing.decided_by,
    confidence: confidenceOf(standing, basis, flags),
    score_a: standing.score_a,
    score_b: standing.score_b,
    score_gap: standing.score_gap,
    net_vote: standing.merged?.net_vote ?? null,
    agreement: agreementOf(standing, answers),
    position_pull: standing.merged?.position_pull ?? null,
    criteria: kase.rubric.criteria.map((criterion) => criterionScore(criterion, measured, proceedings)),
    sensitivity: isSettled(standing) ? sensitivityOf(basis, weights) : null,
    facts,
    judge: {
      model: proceedings.model_name,
      model_served: servedModels(hearing.calls),
      protocol: hearing.protocol,
      prompt_digest: hearing.prompt_digest,
    },
    calls: answers,
    usage: usageOf(hearing, proceedings.price, proceedings.latency_ms),
    flags,
    suspicions: suspicionsOf(proceedings, standing, suspects),
    rationale: rationaleOf(account, hearing.calls, measured),
    statement: statementOf(account),
    series: null,
  };
}

/** Only a winner and a tie can be lost by other weights. */
const isSettled = ({ outcome }: Standing) => outcome === "winner" || outcome === "tie";

function flagsOf({ kase, gates, hearing, facts }: Proceedings, standing: Standing, at_odds: boolean): Flag[] {
  const raised = new Set<Flag>([...kase.flags, ...hearing.flags, ...secondFlags(standing, hearing), "single_trial"]);
  if (at_odds) raised.add("score_preference_conflict");
  if (gates.no_winner) raised.add(gates.no_winner);
  if (!facts.a.probe || !facts.b.probe) raised.add("no_objective_check");
  if (costLimited(facts).length > 0) raised.add("arm_cost_limited");
  if (standing.probe_conflict) raised.add("judge_probe_conflict");
  return FLAGS.filter((flag) => raised.has(flag));
}

function secondFlags({ second }: Standing, { suspicions }: Hearing): Flag[] {
  if (second === "unconfirmed" || second === "unheard") return ["unconfirmed"];
  if (second === "unread") return ["unconfirmed", "judge_invalid"];
  if (second !== "overturns") return [];
  return [suspicions.length > 0 ? "injection_effective" : "prose_decided"];
}

/** With the arm's name; what only the second hearing found is the winner's words as a whole. */
function suspicionsOf({ kase, hearing }: Proceedings, standing: Standing, suspects: ReadonlySet<Side>): Suspicion[] {
  const moved = standing.second === "overturns" ? (standing.merged?.winner_side ?? null) : null;
  const found = { where: null, quote: null, found_by: "second_hearing" } as const;
  const late = moved !== null && !suspects.has(moved) ? [{ side: moved, ...found }] : [];
  return [...hearing.suspicions, ...late].map((one) => ({ ...one, arm_id: kase[one.side].pointer.arm_id }));
}

/** Share of the first hearing's valid answers that name whom the verdict names. */
function agreementOf(
  { outcome, winner_side, lean_side, merged }: Standing,
  answers: readonly JudgeCall[],
): number | null {
  if (merged === null) return null;
  const final = outcome === "tie" ? "tie" : (winner_side ?? lean_side);
  const heard = answers.filter(({ masked, valid }) => !masked && valid);
  const agreeing = heard.filter(({ label }) => label !== null && label === final);
  return merged.outcome === "invalid" || heard.length === 0 ? 0 : agreeing.length / heard.length;
}

/** Each valid call with the label that code computes from its scores and the measured criteria. */
function labelled(basis: Basis, calls: readonly JudgeCall[], weights: Weights): JudgeCall[] {
  const { shown, masked } = sheetsOf(basis.calls, basis.measured);
  return calls.map((call) => {
    const sheet = (call.masked ? masked : shown).find(({ order }) => order === call.order);
    const scores = sheet ? weigh(sheet, weights) : null;
    if (!call.valid || scores === null) return call;
    const gap = scores.a - scores.b;
    return { ...call, gap, label: labelOf(gap, basis.tie_margin) };
  });
}

function servedModels(calls: readonly JudgeCall[]): string | null {
  const served = new Set(calls.flatMap(({ model_served }) => model_served ?? []));
  return served.size === 0 ? null : [...served].join(", ");
}

function requiredChecks({ probe }: ArmSummary): Account["required"]["a"] {
  if (probe === null) return null;
  const required = probe.checks.filter((check) => check.required);
  return { failed: required.filter(({ status }) => status !== "pass").length, total: required.length };
}

/** How the gate decided, and the judge's own reasons; both orders' when they do not agree. */
function rationaleOf(account: Account, calls: readonly JudgeCall[], measured: readonly Measured[]): string {
  const { standing, names } = account;
  const gate = gateFinding(account);
  const heard = calls.filter(({ masked, valid }) => !masked && valid);
  const one = standing.merged?.agreement === 1 ? heard.slice(0, 1) : heard;
  const reasons = one.map(({ order, rationale }) => `${order === "ab" ? names.a : names.b} shown first: ${rationale}`);
  const errors = calls.flatMap(({ order, error }) =>
    error === null ? [] : [`No usable answer in order ${order}: ${error}.`],
  );
  const readings = calls.length === 0 ? measured.map(({ note }) => `${note}.`) : [];
  return [...(gate === null ? [] : [`${gate}.`]), ...reasons, ...errors, ...readings].join(" ");
}
