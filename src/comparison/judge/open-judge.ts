import type { ModelClient } from "../../arms/model/client.ts";
import { paidFrom } from "../../arms/model/purse.ts";
import { checksApart, EVERYTHING, isSameWork, leaveOut } from "../../domain/equal-work.ts";
import { isBuiltin, judgesNamed } from "../../domain/model-name.ts";
import type { Price } from "../../domain/price-list.ts";
import type { Scenario } from "../../domain/scenario.ts";
import { type ArmSummary, wholeAnswer } from "../../domain/session.ts";
import type { Verdict } from "../../domain/verdict.ts";
import { armNames } from "../../domain/verdict-text.ts";
import type { Clock, Entropy } from "../../runtime/clock.ts";
import { type JudgedPair, type JudgeInput, judgeByModel, judgeByPanel } from "./asking/judge-by-model.ts";
import { PROTOCOL, promptDigest } from "./asking/judge-prompt.ts";
import { JudgingBudget } from "./asking/judging-budget.ts";
import { basisWith, type ScoringRules, scoringRules } from "./asking/scoring-rules.ts";
import { needsMaskedRepetition } from "./decide.ts";
import { factsOf } from "./facts.ts";
import { type Case, type Judge, type JudgedArm, newVerdictId } from "./judge.ts";
import { panelProtocol } from "./panel-votes.ts";
import { isJudged } from "./scenario-brief.ts";
import { composeVerdict } from "./verdict/compose-verdict.ts";
import { type JudgeResult, NO_MODEL_ASKED } from "./verdict/judge-result.ts";
import { gatherCandidates } from "./view/candidates.ts";

interface JudgeOptions {
  /** Undefined: a panel, or `builtin/evidence`. */
  readonly model: ModelClient | undefined;
  readonly panel?: readonly PanelModel[];
  readonly model_name: string;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Chance for what the judge of that name is shown. Absent: as for all else. */
  readonly blinding?: ((judge: string) => Entropy) | undefined;
  /** The judge model's price. The cost of judging is unknown without it. */
  readonly price?: Price | null;
}

interface PanelModel {
  /** `<provider>/<model>` */
  readonly name: string;
  readonly model: ModelClient;
  readonly price: Price | null;
}

/**
 * Code establishes the facts, the gates and the measured scores (`facts.ts`, `measure.ts`). A model scores the
 * judged criteria if there are any (`judge-by-model.ts`). Code makes the verdict of both (`compose-verdict.ts`): no answer
 * of a model moves a gate.
 */
export function openJudge(options: JudgeOptions): Judge {
  const { model_name, clock, entropy } = options;
  return async (given, signal) => {
    const kase = withoutChance(given);
    const began = clock.ticks();
    signal.throwIfAborted();
    const facts = { a: factsOf(kase.a.summary, kase.policies), b: factsOf(kase.b.summary, kase.policies) };
    const rules = scoringRules(kase, facts);
    const names = armNames(kase.a.pointer.arm_id, kase.b.pointer.arm_id);
    const asks = asksModel(kase, rules) ? askerOf(options, kase) : undefined;
    const result = asks ? await asks(await hearing({ kase, facts, names }, rules, signal), signal) : NO_MODEL_ASKED;
    const now = clock.now().toISOString();
    return composeVerdict({
      ...{ kase, facts, names, rules, result, model_name },
      price: options.price ?? null,
      verdict_id: given.verdict_id ?? newVerdictId(now, entropy),
      created_at: now,
      latency_ms: Math.round(clock.ticks() - began),
    });
  };
}

/** Where the hidden checks could not run, no answer would be used. */
const asksModel = ({ rubric }: Case, { gates }: ScoringRules) =>
  rubric.criteria.some(isJudged) && gates.no_winner !== "check_could_not_run";

type Ask = (input: JudgeInput, signal: AbortSignal) => Promise<JudgeResult>;

/** Undefined when there is no model to ask. */
function askerOf(options: JudgeOptions, kase: Case): Ask | undefined {
  const { model, panel = [], price = null, clock, model_name, blinding = () => options.entropy } = options;
  const budgetFor = budgets(kase);
  const { purse } = kase;
  const paid = (one: ModelClient, its: Price | null) => (purse ? paidFrom(purse, one, its) : one);
  if (model) {
    const judge = { model: paid(model, price), clock, entropy: blinding(model_name), budget: budgetFor(price) };
    return (input, signal) => judgeByModel(judge, input, signal);
  }
  if (panel.length === 0) return undefined;
  const judges = panel.map((one) => ({
    ...{ ...one, model: paid(one.model, one.price) },
    ...{ clock, entropy: blinding(one.name), budget: budgetFor(one.price) },
  }));
  return (input, signal) => judgeByPanel(judges, input, signal);
}

/** A budget for each price, all from one purse. A limit without a price does not reach the judge: it is refused before the run. */
function budgets({ left_usd }: Case): (price: Price | null) => JudgingBudget | undefined {
  if (left_usd === undefined) return () => undefined;
  const purse = { left_usd };
  return (price) => (price === null ? undefined : new JudgingBudget(price, purse));
}

const hearing = async (pair: JudgedPair, rules: ScoringRules, signal: AbortSignal): Promise<JudgeInput> => ({
  ...pair,
  candidates: await gatherCandidates(pair.kase, signal),
  needsMaskedRepetition: (calls, suspicions) =>
    needsMaskedRepetition(basisWith(rules, { calls, suspicions }), rules.weights, pair.kase.task.answer),
});

/**
 * The case without checks by which chance told the same files apart, so that nothing rests on them. A run leaves them out by
 * itself; arms that are judged across sessions, or were stored by earlier versions, may still have them.
 */
function withoutChance(kase: Case): Case {
  const [a, b] = [kase.a.summary, kase.b.summary];
  const ids = new Set([a, b].flatMap(({ probe }) => (probe?.not_repeatable ?? []).map(({ id }) => id)));
  // The checks of another scenario are other checks.
  const isAlike =
    !(kase.flags.includes("scenario_drift") || (kase.task.answer && wholeAnswer(a) !== wholeAnswer(b))) &&
    isSameWork(a.changes, b.changes, EVERYTHING);
  if (isAlike) for (const id of checksApart(kase.task, a.probe, b.probe)) ids.add(id);
  return ids.size === 0 ? kase : { ...kase, a: without(kase.a, ids), b: without(kase.b, ids) };
}

/** The nearness to the reference fix counted the checks, too. */
function without(arm: JudgedArm, ids: ReadonlySet<string>): JudgedArm {
  const { summary } = arm;
  const probe = summary.probe && leaveOut(summary.probe, ids);
  if (probe === summary.probe) return arm;
  const changed: ArmSummary = { ...summary, probe, reference_fix: null };
  return { ...arm, summary: changed };
}

/** How this version judges, with a model and without. */
export const JUDGING_PROTOCOLS: readonly string[] = [PROTOCOL, NO_MODEL_ASKED.protocol];

/** Verdicts of two identities are not comparable. */
export type JudgeIdentity = Pick<Verdict["judge"], "model" | "protocol" | "prompt_digest">;

/**
 * Who judges a scenario, as the verdict of a run will say it. `model` is the judge's full name. A verdict says another
 * identity only when the cost limit left nothing for the judge.
 */
export function judgeIdentity(model: string, scenario: Pick<Scenario, "task" | "rubric" | "policies">): JudgeIdentity {
  const asked = !isBuiltin(model) && scenario.rubric.criteria.some(isJudged);
  if (!asked) return { model, protocol: NO_MODEL_ASKED.protocol, prompt_digest: NO_MODEL_ASKED.prompt_digest };
  const protocol = judgesNamed(model).length > 1 ? panelProtocol(PROTOCOL) : PROTOCOL;
  return { model, protocol, prompt_digest: promptDigest(scenario) };
}
