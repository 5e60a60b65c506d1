import { isBuiltin, judgesNamed } from "../../domain/model-name.ts";
import type { Scenario } from "../../domain/scenario.ts";
import type { Verdict } from "../../domain/verdict.ts";
import { PROTOCOL, promptDigest } from "./asking/judge-prompt.ts";
import { panelProtocol } from "./panel-votes.ts";
import { isJudged } from "./scenario-brief.ts";
import { NO_MODEL_ASKED } from "./verdict/judge-result.ts";

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
