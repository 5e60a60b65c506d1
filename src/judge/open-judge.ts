import type { Clock, Entropy } from "../clock.ts";
import type { Price } from "../domain/scenario.ts";
import type { Side } from "../domain/verdict.ts";
import type { ModelClient } from "../model/client.ts";
import { builtinHearing } from "./builtin-judge.ts";
import { composeVerdict, termsOf } from "./compose-verdict.ts";
import { factsOf } from "./facts.ts";
import { gatesOf } from "./gates.ts";
import type { Case, Judge } from "./judge.ts";
import { hearModel, type Matter, type ModelJudge } from "./model-judge.ts";
import { Purse } from "./purse.ts";
import { isJudged } from "./scenario-brief.ts";
import { needsSecondHearing, suspectsOf } from "./score.ts";

export interface JudgeOptions {
  /** Undefined: `builtin/evidence`. */
  readonly model: ModelClient | undefined;
  readonly model_name: string;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Of the judge model; without it the cost of judging is unknown. */
  readonly price?: Price | null;
}

/** Gates are computed first and stand whatever the judge does; a rubric without judged criteria asks no model. */
export function openJudge({ model, model_name, clock, entropy, price = null }: JudgeOptions): Judge {
  return async (kase, signal) => {
    const began = clock.ticks();
    signal.throwIfAborted();
    const facts = { a: factsOf(kase.a.summary, kase.policies), b: factsOf(kase.b.summary, kase.policies) };
    const gates = gatesOf(facts.a, facts.b);
    const names = armNames(kase);
    const asked: ModelJudge | undefined = model && { model, clock, entropy, purse: purseFor(kase, price) };
    const terms = termsOf(kase, gates);
    const mustHearAgain: Matter["mustHearAgain"] = (calls, suspicions) =>
      needsSecondHearing({ ...terms.basis, calls, suspects: suspectsOf(suspicions) }, terms.weights);
    const hearing =
      asked && kase.rubric.criteria.some(isJudged)
        ? await hearModel(asked, { kase, facts, names, mustHearAgain }, signal)
        : builtinHearing;
    const now = clock.now().toISOString();
    return composeVerdict({
      kase,
      facts,
      gates,
      terms,
      names,
      hearing,
      model_name,
      price,
      verdict_id: `verdict-${now.replace(/[-:.]/g, "")}-${entropy(4)}`,
      created_at: now,
      latency_ms: Math.round(clock.ticks() - began),
    });
  };
}

/** Whoever sets a limit has made sure that there is a price. */
const purseFor = ({ left_usd }: Case, price: Price | null): Purse | undefined =>
  left_usd === undefined || price === null ? undefined : new Purse(price, left_usd);

/** Arm ids; across sessions both may be the same arm, then the request's own words tell them apart. */
function armNames({ a, b }: Case): Record<Side, string> {
  const [one, other] = [a.pointer.arm_id, b.pointer.arm_id];
  return one === other ? { a: `${one} (arm_a)`, b: `${other} (arm_b)` } : { a: one, b: other };
}
