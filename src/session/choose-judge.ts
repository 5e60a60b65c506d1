import { Failure } from "../domain/failure.ts";
import type { Price, Scenario } from "../domain/scenario.ts";
import type { Judge } from "../judge/judge.ts";
import { openJudge } from "../judge/open-judge.ts";
import type { ModelClient } from "../model/client.ts";
import { BUILTIN_JUDGE, DEFAULT_JUDGE_MODEL, judgeModelRef, splitModelRef } from "../model/model-ref.ts";
import { countedModel } from "./counted-model.ts";
import { priceOf } from "./prices.ts";
import type { SessionServices } from "./services.ts";

/**
 * First that is given: request, rubric, environment, default.
 * @throws Failure `credentials_missing` that also names the judge which needs none.
 */
export function chooseJudge(
  services: Pick<SessionServices, "resolveModel" | "judge_model" | "clock" | "entropy" | "prices">,
  requested: string | undefined,
  scenario: Scenario,
): ChosenJudge {
  const judge_model = judgeModelName(services, requested, scenario.rubric.judge.model);
  if (judge_model !== BUILTIN_JUDGE && judge_model.toLowerCase().startsWith("builtin/"))
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
  /** What its answers have cost so far, also those of a judging that failed; null when that is unknown. */
  readonly spent_usd: () => number | null;
}

/** The judge's `<provider>/<model>` in the same order; says nothing about credentials. */
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

function withWayOut<T>(resolve: () => T): T {
  try {
    return resolve();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const message = `judge: ${error.message}; or judge without a model: --judge-model ${BUILTIN_JUDGE}`;
    throw new Failure(error.code, message, { cause: error });
  }
}
