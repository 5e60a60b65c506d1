import type { ModelClient } from "../../arms/model/client.ts";
import { BUILTIN_JUDGE, DEFAULT_JUDGE_MODEL, judgeModelRef } from "../../arms/model/model-ref.ts";
import type { Recording } from "../../arms/model/provider-call.ts";
import type { JudgeRecording } from "../../arms/recording/recordings.ts";
import { Failure } from "../../domain/failure.ts";
import { isBuiltin, isScripted, judgesNamed } from "../../domain/model-name.ts";
import type { Price } from "../../domain/price-list.ts";
import type { Scenario } from "../../domain/scenario.ts";
import { costOf, sumKnown } from "../../domain/usage.ts";
import type { Flag } from "../../domain/verdict.ts";
import { judgeRecord } from "../../store/self-test-store.ts";
import type { SessionStore } from "../../store/store.ts";
import type { Judge } from "../judge/judge.ts";
import { openJudge } from "../judge/open-judge.ts";
import { priceOf } from "./cost-limits.ts";
import type { SessionServices } from "./services.ts";

/**
 * The judge that the request names, else the rubric, else the environment, else the default. Several judge as a panel.
 * @throws Failure `credentials_missing`, which also names the judge that needs no key; `invalid_request` for a name that
 * cannot judge.
 */
export function chooseJudge(
  services: Pick<SessionServices, "resolveModel" | "judge_model" | "clock" | "entropy" | "prices" | "spent">,
  requested: string | undefined,
  scenario: Scenario,
  recording?: JudgeRecording,
): ChosenJudge {
  const judge_model = judgeModelName(services, requested, scenario.rubric.judge.model);
  const price = priceOf(services.prices, scenario, judge_model);
  const { clock, entropy } = services;
  const blinding = recording && ((name: string) => recording.entropy(name));
  if (judge_model === BUILTIN_JUDGE) {
    const judge = openJudge({ model: undefined, model_name: judge_model, clock, entropy, price });
    return { judge, judge_model, price, prices: new Map([[judge_model, price]]), spent_usd: () => 0 };
  }
  const names = judgesNamed(judge_model);
  const asked = names.map((name) => {
    const own = names.length === 1 ? price : priceOf(services.prices, scenario, name);
    return { name, ...countedModel(judgeClient(services, name, recording), own, services.spent), price: own };
  });
  const [one, ...others] = asked;
  const who = one && others.length === 0 ? { model: one.model } : { model: undefined, panel: asked };
  return {
    judge: openJudge({ ...who, model_name: judge_model, clock, entropy, price, blinding }),
    judge_model,
    price,
    prices: new Map(asked.map((judge) => [judge.name, judge.price])),
    spent_usd: () => sumKnown(asked.map(({ spent_usd }) => spent_usd())),
  };
}

export interface ChosenJudge {
  readonly judge: Judge;
  /** `<provider>/<model>`, or `panel(...)` with those of its judges. */
  readonly judge_model: string;
  /** The judge's price; for a panel, the price of one token to each of its judges. Null when a price is unknown. */
  readonly price: Price | null;
  /** By `<provider>/<model>`; of a panel, of each of its judges. */
  readonly prices: ReadonlyMap<string, Price | null>;
  /** The cost of its replies so far, also of a judging that failed; null when it is unknown. */
  readonly spent_usd: () => number | null;
}

/** The judge's full name, chosen in the same order. Credentials are not looked at. @throws Failure `invalid_request` for no panel. */
export const judgeModelName = (
  services: Pick<SessionServices, "judge_model">,
  requested: string | undefined,
  ofRubric: string | null,
): string => judgeModelRef(requested ?? ofRubric ?? services.judge_model ?? DEFAULT_JUDGE_MODEL);

function judgeClient(
  { resolveModel }: Pick<SessionServices, "resolveModel">,
  judge_model: string,
  recording: Recording | undefined,
): ModelClient {
  if (isBuiltin(judge_model))
    throw new Failure(
      "invalid_request",
      `judge: there is no "${judge_model}"; the only built-in judge is ${BUILTIN_JUDGE}`,
    );
  return withWayOut(() => {
    if (!isScripted(judge_model)) return resolveModel(judge_model, null, recording);
    throw new Failure("invalid_request", `"${judge_model}" replays an arm's script and cannot judge`);
  });
}

/** The same model, and what its replies have cost. */
function countedModel(model: ModelClient, price: Price | null, tell: SessionServices["spent"]) {
  let spent: number | null = 0;
  const counted: ModelClient = {
    ref: model.ref,
    complete: async (request, options) => {
      const reply = await model.complete(request, options);
      const cost_usd = costOf(price, reply);
      tell?.({ by: "judge", calls: 1, cost_usd });
      spent = sumKnown([spent, cost_usd]);
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

/** What is known of a judge on a scenario before it judges, by the key of its self-tests. @throws Failure `storage_failed` */
export async function judgeFlags(
  { self_tests }: Pick<SessionStore, "self_tests">,
  key: string | null,
): Promise<readonly Flag[]> {
  return key !== null && (await judgeRecord(self_tests, key)) === "failed" ? ["judge_failed_self_test"] : [];
}
