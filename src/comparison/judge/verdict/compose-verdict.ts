import { type Decision, PROGRAM_ENDED } from "../../../domain/decision.ts";
import type { Facts } from "../../../domain/evidence.ts";
import { dig } from "../../../domain/lenient.ts";
import { memberName, withInputId } from "../../../domain/member.ts";
import type { Price } from "../../../domain/price-list.ts";
import { ranElsewhere } from "../../../domain/ran.ts";
import type { ArmSummary } from "../../../domain/session.ts";
import { costOf, sumKnown } from "../../../domain/usage.ts";
import type { JudgeCall, PanelMember, Side, Suspicion, Verdict } from "../../../domain/verdict.ts";
import { gateOfVerdict } from "../../../domain/verdict-gate.ts";
import { undecidedChecks } from "../../../domain/verdict-text.ts";
import { basisWith, type ScoringRules } from "../asking/scoring-rules.ts";
import { type Basis, decide, type ScoredOutcome } from "../decide.ts";
import { notRepeatable } from "../equal-work.ts";
import { requiredChecks } from "../facts.ts";
import type { Case } from "../judge.ts";
import { judgesOf, kinOf } from "../kin.ts";
import { type Opinion, opinionsOfPanel } from "../opinion.ts";
import { confidenceOf, wordsAlone } from "./confidence.ts";
import { firstAnswers, type JudgeResult, type PanelShare } from "./judge-result.ts";
import { criterionScore, type Measured } from "./measure.ts";
import { heardJudge, voteOf } from "./panel-statement.ts";
import { byJudge, labelOf, scoreTables, type Weights, weigh } from "./score-table.ts";
import { sensitivityOf } from "./sensitivity.ts";
import { gateFinding, type StatementInput, statementOf } from "./statement.ts";
import { flagsOf } from "./verdict-flags.ts";

interface VerdictInput {
  readonly kase: Case;
  readonly facts: Verdict["facts"];
  readonly rules: ScoringRules;
  readonly names: Readonly<Record<Side, string>>;
  readonly result: JudgeResult;
  readonly model_name: string;
  readonly price: Price | null;
  readonly verdict_id: string;
  readonly created_at: string;
  readonly latency_ms: number;
}

/** Code makes the verdict, in the same way for every judge. */
export function composeVerdict(input: VerdictInput): Verdict {
  const { kase, facts, rules, result } = input;
  const { inputs_from_checkout } = kase;
  const { measured, weights } = rules;
  const basis = basisWith(rules, result);
  const scored = decide(basis, weights);
  const calls = byJudge(result.calls).flatMap((own) => labelled({ ...basis, calls: own }, own, weights));
  const opinions = opinionsOfPanel(basis, weights);
  const members = result.panel && membersOf(result.panel, opinions, calls);
  const kin = calls.length === 0 ? null : kinOf(judgesOf(input.model_name, calls), [kase.a.summary, kase.b.summary]);
  const flags = flagsOf(input, scored, kin);
  const text = statementInput(input, {
    scored,
    flags,
    panel: members && opinions.map(heardJudge),
    model_asked: calls.length > 0,
  });
  const idOf = (side: Side | null) => (side === null ? null : kase[side].pointer.arm_id);
  return {
    verdict_id: input.verdict_id,
    created_at: input.created_at,
    kind: kase.kind,
    ...{ scenario: kase.scenario, ...withInputId(kase.input) },
    scenario_digest: kase.scenario_digest,
    arm_a: kase.a.pointer,
    arm_b: kase.b.pointer,
    outcome: scored.outcome,
    winner: idOf(scored.winner_side),
    winner_side: scored.winner_side,
    lean: idOf(scored.lean_side),
    lean_side: scored.lean_side,
    ...gateOfVerdict(
      {
        arm_a: kase.a.pointer,
        arm_b: kase.b.pointer,
        ...scored,
        kin_of: kin ?? undefined,
        flags,
        inputs_from_checkout,
      },
      kase.single === true,
    ),
    decided_by: scored.decided_by,
    confidence: confidenceOf(scored, basis, flags, wordsAlone(kase.task, flags)),
    score_a: scored.score_a,
    score_b: scored.score_b,
    score_gap: scored.score_gap,
    net_vote: scored.merged?.net_vote ?? null,
    agreement: agreementOf(scored, calls),
    position_pull: scored.merged?.position_pull ?? null,
    criteria: kase.rubric.criteria.map((criterion) => criterionScore(criterion, measured, input)),
    sensitivity: scored.outcome === "winner" || scored.outcome === "tie" ? sensitivityOf(basis, weights) : null,
    facts,
    judge: {
      model: input.model_name,
      model_served: servedModels(calls),
      ...(kin && { kin_of: kin }),
      protocol: result.protocol,
      prompt_digest: result.prompt_digest,
      ...(members && { members: [...members] }),
    },
    calls,
    usage: usageOf(input),
    flags,
    ...(inputs_from_checkout && { inputs_from_checkout: [...inputs_from_checkout] }),
    suspicions: suspicionsOf(input, scored, basis.suspects),
    rationale: rationaleOf(text, calls, measured),
    ...statementOf(text),
    series: null,
  };
}

/** What the statement is made of. */
function statementInput(
  { kase, facts, rules, names, model_name }: VerdictInput,
  found: Pick<StatementInput, "scored" | "flags" | "panel" | "model_asked">,
): StatementInput {
  const { a, b, kind } = kase;
  const { measured, weights, gates } = rules;
  return {
    ...found,
    ...{ kind, scenario: memberName(kase), judge: model_name, names, gates, facts },
    turns: { a: a.summary.turns, b: b.summary.turns },
    stopped: { a: stoppedChecks(a.summary, facts.b), b: stoppedChecks(b.summary, facts.a) },
    chances: notRepeatable(kase),
    by_log: { a: ranElsewhere(a.summary), b: ranElsewhere(b.summary) },
    programs: { a: programEnd(a.decisions), b: programEnd(b.decisions) },
    required: { a: requiredChecks(a.summary), b: requiredChecks(b.summary) },
    measured: measured.some(({ id, supported }) => supported && (weights.get(id) ?? 0) > 0),
  };
}

/** Checks that did not run to their end, with what stopped them. Those that could run on neither arm are told apart. */
function stoppedChecks({ probe }: ArmSummary, other: Pick<Facts, "probe">): readonly string[] {
  const neither = new Set(undecidedChecks({ probe }, other).map(({ id }) => id));
  return (probe?.checks ?? []).flatMap(({ id, status, reason, could_not_run }) => {
    if (neither.has(id)) return [];
    if (could_not_run !== undefined) return `${id} could not run: ${could_not_run}`;
    return status === "error" ? `${id}: ${reason ?? "it did not end"}` : [];
  });
}

function programEnd(decisions: readonly Decision[]): string | null {
  const last = decisions.findLast(({ kind, detail }) => kind === "error" && dig(detail, "code") === PROGRAM_ENDED);
  return last?.summary ?? null;
}

/** What each judge of a panel found alone. */
function membersOf(
  panel: readonly PanelShare[],
  opinions: readonly Opinion[],
  calls: readonly JudgeCall[],
): readonly PanelMember[] {
  return panel.flatMap(({ model, cost_usd }, index) => {
    const opinion = opinions[index];
    if (opinion === undefined) return [];
    const { outcome, lean_side, score_gap } = opinion;
    return {
      model,
      model_served: servedModels(calls.filter(({ judge }) => judge === model)),
      outcome,
      vote: voteOf(opinion),
      lean_side,
      score_gap,
      cost_usd,
    };
  });
}

/** Each valid call of one judge with the label that code computes from its scores and the measured criteria. */
function labelled(basis: Basis, calls: readonly JudgeCall[], weights: Weights): JudgeCall[] {
  const { shown, masked } = scoreTables(basis.calls, basis.measured);
  return calls.map((call) => {
    const table = (call.masked ? masked : shown).find(({ order }) => order === call.order);
    const scores = table ? weigh(table, weights) : null;
    if (!call.valid || scores === null) return call;
    return { ...call, gap: scores.gap, label: labelOf(scores.gap, basis.tie_margin) };
  });
}

/** Share of the first hearing's valid answers that name whom the verdict names. */
function agreementOf(
  { outcome, winner_side, lean_side, merged }: ScoredOutcome,
  calls: readonly JudgeCall[],
): number | null {
  if (merged === null) return null;
  const final = outcome === "tie" ? "tie" : (winner_side ?? lean_side);
  const answers = firstAnswers(calls);
  const agreeing = answers.filter(({ label }) => label !== null && label === final);
  return merged.outcome === "invalid" || answers.length === 0 ? 0 : agreeing.length / answers.length;
}

function servedModels(calls: readonly JudgeCall[]): string | null {
  const served = new Set(calls.flatMap(({ model_served }) => model_served ?? []));
  return served.size === 0 ? null : [...served].join(", ");
}

/** Null is unknown. A judge that was not asked cost nothing. */
function usageOf({ result, price, latency_ms }: VerdictInput): Verdict["usage"] {
  const { tokens_in, tokens_out } = result.usage;
  const own = () => (result.calls.length === 0 ? 0 : costOf(price, result.usage));
  const cost_usd = result.panel ? sumKnown(result.panel.map((judge) => judge.cost_usd)) : own();
  const listed = price?.price_date !== undefined && result.calls.length > 0 && { price_date: price.price_date };
  return { tokens_in, tokens_out, cost_usd, ...listed, latency_ms };
}

/** Adds the arm's name, and the winner's words as a whole when only the masked repetition found them. */
function suspicionsOf(
  { kase, result }: VerdictInput,
  { second, merged }: ScoredOutcome,
  suspects: ReadonlySet<Side>,
): Suspicion[] {
  const moved = second === "overturns" ? (merged?.winner_side ?? null) : null;
  const found = { where: null, quote: null, found_by: "second_hearing" } as const;
  const late = moved !== null && !suspects.has(moved) ? [{ side: moved, ...found }] : [];
  return [...result.suspicions, ...late].map((one) => ({ ...one, arm_id: kase[one.side].pointer.arm_id }));
}

/** How the gate decided, then the judge's own reasons: of one order when both agree, else of both; of a panel, one of each judge. */
function rationaleOf(input: StatementInput, calls: readonly JudgeCall[], measured: readonly Measured[]): string {
  const { scored, names } = input;
  const gate = gateFinding(input);
  const answers = byJudge(firstAnswers(calls)).flatMap((own) =>
    own.slice(0, input.panel || scored.merged?.agreement === 1 ? 1 : undefined),
  );
  const reasons = answers.map(
    ({ judge, order, rationale }) =>
      `${judgePrefix(judge)}${order === "ab" ? names.a : names.b} shown first: ${rationale}`,
  );
  const errors = calls.flatMap(({ judge, order, error }) =>
    error === null ? [] : [`${judge === undefined ? "No" : `${judge}: no`} usable answer in order ${order}: ${error}.`],
  );
  const readings = calls.length === 0 ? measured.map(({ note }) => `${note}.`) : [];
  return [...(gate === null ? [] : [`${gate}.`]), ...reasons, ...errors, ...readings].join(" ");
}

const judgePrefix = (judge: string | undefined) => (judge === undefined ? "" : `${judge}, `);
