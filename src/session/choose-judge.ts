import { Failure } from "../domain/failure.ts";
import type { Rubric } from "../domain/scenario.ts";
import type { Judge } from "../judge/judge.ts";
import { openJudge } from "../judge/open-judge.ts";
import type { ModelClient } from "../model/client.ts";
import { BUILTIN_JUDGE, DEFAULT_JUDGE_MODEL, judgeModelRef, splitModelRef } from "../model/model-ref.ts";
import type { SessionServices } from "./services.ts";

/**
 * First that is given: request, rubric, environment, default.
 * @throws Failure `credentials_missing` that also names the judge which needs none.
 */
export function chooseJudge(
  services: Pick<SessionServices, "resolveModel" | "judge_model" | "clock" | "entropy">,
  requested: string | undefined,
  rubric: Rubric,
): { readonly judge: Judge; readonly judge_model: string } {
  const judge_model = judgeModelName(services, requested, rubric.judge.model);
  if (judge_model !== BUILTIN_JUDGE && judge_model.toLowerCase().startsWith("builtin/"))
    throw new Failure(
      "invalid_request",
      `judge: there is no "${judge_model}"; the only built-in judge is ${BUILTIN_JUDGE}`,
    );
  const model = judge_model === BUILTIN_JUDGE ? undefined : withWayOut(() => judgeClient(services, judge_model));
  const { clock, entropy } = services;
  return { judge: openJudge({ model, model_name: judge_model, clock, entropy }), judge_model };
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
