import { Failure } from "../domain/failure.ts";
import { isBuiltin } from "../domain/offline-model.ts";
import type { Price, Scenario } from "../domain/scenario.ts";
import { costOf, sumKnown } from "../domain/usage.ts";
import type { Judge } from "../judge/judge.ts";
import { openJudge } from "../judge/open-judge.ts";
import type { ModelClient } from "../model/client.ts";
import { BUILTIN_JUDGE, DEFAULT_JUDGE_MODEL, judgeModelRef, splitModelRef } from "../model/model-ref.ts";
import { priceOf } from "./prices.ts";
import type { SessionServices } from "./services.ts";

/**
 * The judge that the request names, else the rubric, else the environment, else the default.
 * @throws Failure `credentials_missing`, which also names the judge that needs no key.
 */
export function chooseJudge(
  services: Pick<SessionServices, "resolveModel" | "judge_model" | "clock" | "entropy" | "prices">,
  requested: string | undefined,
  scenario: Scenario,
): ChosenJudge {
  const judge_model = judgeModelName(services, requested, scenario.rubric.judge.model);
  if (judge_model !== BUILTIN_JUDGE && isBuiltin(judge_model))
    throw new Failure(
      "invalid_request",
      `judge: there is no "${judge_model}"; the only built-in judge is ${BUILTIN_JUDGE}`,
    );
  const price = priceOf(services.prices, scenario, judge_model);
  const asked = judge_model === BUILTIN_JUDGE ? undefined : withWayOut(() => judgeClient(services, judge_model));
  const counted = asked && countedModel(asked, price);
  const { clock, entropy } = services;
  const judge = openJudge({ model: counted?.model, model_name: judge_model, clock, entropy, price });
  return { judge, judge_model, price, spent_usd: () => (counted ? counted.spent_usd() : 0) };
}

export interface ChosenJudge {
  readonly judge: Judge;
  /** `<provider>/<model>` */
  readonly judge_model: string;
  readonly price: Price | null;
  /** The cost of its replies so far, also of a judging that failed; null when it is unknown. */
  readonly spent_usd: () => number | null;
}

/** The judge's `<provider>/<model>`, chosen in the same order. Credentials are not looked at. */
export const judgeModelName = (
  services: Pick<SessionServices, "judge_model">,
  requested: string | undefined,
  ofRubric: string | null,
): string => judgeModelRef(requested ?? ofRubric ?? services.judge_model ?? DEFAULT_JUDGE_MODEL);

function judgeClient({ resolveModel }: Pick<SessionServices, "resolveModel">, judge_model: string): ModelClient {
  const { provider } = splitModelRef(judge_model);
  if (provider === "builtin")
    throw new Failure("invalid_request", `there is no "${judge_model}"; the judge without a model is ${BUILTIN_JUDGE}`);
  if (provider !== "scripted") return resolveModel(judge_model, null);
  throw new Failure("invalid_request", `"${judge_model}" replays an arm's script and cannot judge`);
}

/** The same model, and what its replies have cost. */
function countedModel(model: ModelClient, price: Price | null) {
  let spent: number | null = 0;
  const counted: ModelClient = {
    ref: model.ref,
    complete: async (request, options) => {
      const reply = await model.complete(request, options);
      spent = sumKnown([spent, costOf(price, reply)]);
      return reply;
    },
  };
  return { model: counted, spent_usd: () => spent };
}

function withWayOut<T>(resolve: () => T): T {
  try {
    return resolve();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const message = `judge: ${error.message}; or judge without a model: --judge-model ${BUILTIN_JUDGE}`;
    throw new Failure(error.code, message, { cause: error });
  }
}
