import { CALL_TIMEOUT_MS, MAX_OUTPUT_TOKENS, PROVIDER_TRIES } from "../domain/defaults.ts";
import type { Arm, Scenario } from "../domain/scenario.ts";
import type { SessionSettings } from "../domain/session.ts";
import type { Flag } from "../domain/verdict.ts";
import type { Judge } from "../judge/judge.ts";
import type { ModelClient } from "../model/client.ts";
import { modelFamily } from "../model/model-ref.ts";
import { applyModelOverride, differences } from "../scenario/declared-differences.ts";
import type { LoadedScenario } from "../scenario/loaded-scenario.ts";
import type { Sandbox } from "../workspace/workspace.ts";
import { chooseJudge } from "./choose-judge.ts";
import { sandboxFor } from "./sandbox-for.ts";
import type { SessionServices } from "./services.ts";

export interface RunOptions {
  readonly model_override?: string;
  readonly judge_model?: string;
}

/** A session that can start: everything that could refuse it has been asked. */
export interface SessionPlan {
  readonly loaded: LoadedScenario;
  /** The definition with the override applied; `loaded.definition` stays what the file says. */
  readonly scenario: Scenario;
  readonly options: RunOptions;
  readonly models: readonly [ModelClient, ModelClient];
  readonly judge: Judge;
  readonly judge_model: string;
  readonly sandbox: Sandbox;
  readonly settings: SessionSettings;
  readonly declared: readonly string[];
  readonly flags: readonly Flag[];
}

/**
 * Spends nothing and writes nothing.
 * @throws Failure `credentials_missing`, `sandbox_unavailable` or `invalid_request`.
 */
export async function prepareSession(
  services: SessionServices,
  loaded: LoadedScenario,
  options: RunOptions,
): Promise<SessionPlan> {
  const { scenario, costCapInactive } = overridden(loaded.definition, options.model_override);
  const [first, second] = scenario.arms;
  const models = [modelOf(services, first), modelOf(services, second)] as const;
  const { judge, judge_model } = chooseJudge(services, options.judge_model, scenario.rubric);
  const { sandbox, note, needed } = await sandboxFor(services, scenario);
  if (note !== null && needed) services.notice(note);
  const declared = differences(first, second);
  return {
    loaded,
    scenario,
    options,
    models,
    judge,
    judge_model,
    sandbox,
    settings: {
      sandbox: sandbox.kind,
      sandbox_note: note,
      call_timeout_ms: CALL_TIMEOUT_MS,
      provider_tries: PROVIDER_TRIES,
      max_output_tokens: MAX_OUTPUT_TOKENS,
    },
    declared,
    flags: contextFlags(declared, costCapInactive, sharesOneFamily(judge_model, first, second)),
  };
}

const overridden = (definition: Scenario, model: string | undefined) =>
  model === undefined ? { scenario: definition, costCapInactive: false } : applyModelOverride(definition, model);

const modelOf = (services: SessionServices, arm: Arm) => services.resolveModel(arm.model, arm.script);

/** The judge may favour its own kin when only one arm is of it. */
export function sharesOneFamily(judge: string, first: { model: string }, second: { model: string }): boolean {
  const own = modelFamily(judge);
  return own !== null && (modelFamily(first.model) === own) !== (modelFamily(second.model) === own);
}

function contextFlags(declared: readonly string[], costCapInactive: boolean, selfFamily: boolean): Flag[] {
  const flags: Flag[] = [];
  if (declared.length === 0) flags.push("no_contrast");
  if (costCapInactive) flags.push("cost_cap_inactive");
  if (selfFamily) flags.push("self_family");
  return flags;
}
