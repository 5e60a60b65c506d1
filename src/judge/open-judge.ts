import type { Clock, Entropy } from "../clock.ts";
import type { Price } from "../domain/scenario.ts";
import type { Side } from "../domain/verdict.ts";
import type { ModelClient } from "../model/client.ts";
import type { JudgeModel } from "./ask-judge.ts";
import { composeVerdict } from "./compose-verdict.ts";
import { needsSecondHearing } from "./decide.ts";
import { factsOf } from "./facts.ts";
import type { Case, Judge } from "./judge.ts";
import { type JudgeInput, judgeByModel } from "./judge-by-model.ts";
import { NO_MODEL_ASKED } from "./judge-result.ts";
import { JudgingBudget } from "./judging-budget.ts";
import { isJudged } from "./scenario-brief.ts";
import { basisWith, scoringRules } from "./scoring-rules.ts";

export interface JudgeOptions {
  /** Undefined: `builtin/evidence`. */
  readonly model: ModelClient | undefined;
  readonly model_name: string;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Of the judge model. The cost of judging is unknown without it. */
  readonly price?: Price | null;
}

/**
 * Code establishes the facts, the gates and the measured scores (`facts.ts`, `gates.ts`, `measure.ts`). A model scores the
 * judged criteria if there are any (`judge-by-model.ts`). Code makes the verdict of both (`compose-verdict.ts`): no answer
 * of a model moves a gate.
 */
export function openJudge({ model, model_name, clock, entropy, price = null }: JudgeOptions): Judge {
  return async (kase, signal) => {
    const began = clock.ticks();
    signal.throwIfAborted();
    const facts = { a: factsOf(kase.a.summary, kase.policies), b: factsOf(kase.b.summary, kase.policies) };
    const rules = scoringRules(kase, facts);
    const input: JudgeInput = {
      kase,
      facts,
      names: armNames(kase),
      needsSecondHearing: (calls, suspicions) =>
        needsSecondHearing(basisWith(rules, { calls, suspicions }), rules.weights),
    };
    const asked: JudgeModel | undefined = model && { model, clock, entropy, budget: budgetFor(kase, price) };
    const result =
      asked && kase.rubric.criteria.some(isJudged) ? await judgeByModel(asked, input, signal) : NO_MODEL_ASKED;
    const now = clock.now().toISOString();
    return composeVerdict({
      ...input,
      rules,
      result,
      model_name,
      price,
      verdict_id: `verdict-${now.replace(/[-:.]/g, "")}-${entropy(4)}`,
      created_at: now,
      latency_ms: Math.round(clock.ticks() - began),
    });
  };
}

/** A limit without a price does not reach the judge: it is refused before the run. */
const budgetFor = ({ left_usd }: Case, price: Price | null): JudgingBudget | undefined =>
  left_usd === undefined || price === null ? undefined : new JudgingBudget(price, left_usd);

/** Arm ids. Both can be the same arm across sessions; the words of the request then tell them apart. */
function armNames({ a, b }: Case): Record<Side, string> {
  const [one, other] = [a.pointer.arm_id, b.pointer.arm_id];
  return one === other ? { a: `${one} (arm_a)`, b: `${other} (arm_b)` } : { a: one, b: other };
}
