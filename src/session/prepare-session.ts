import { CALL_TIMEOUT_MS, MAX_OUTPUT_TOKENS, PROVIDER_TRIES } from "../domain/defaults.ts";
import type { Arm, Scenario } from "../domain/scenario.ts";
import type { SessionSettings } from "../domain/session.ts";
import type { Flag } from "../domain/verdict.ts";
import type { Judge } from "../judge/judge.ts";
import type { ModelClient } from "../model/client.ts";
import { applyModelOverride, differences } from "../scenario/declared-differences.ts";
import type { LoadedScenario } from "../scenario/loaded-scenario.ts";
import type { Sandbox } from "../workspace/workspace.ts";
import { askAll } from "./ask-all.ts";
import { chooseJudge } from "./choose-judge.ts";
import { contextFlags } from "./context-flags.ts";
import { sandboxFor } from "./sandbox-for.ts";
import type { PreparationServices } from "./services.ts";

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
  services: PreparationServices,
  loaded: LoadedScenario,
  options: RunOptions,
): Promise<SessionPlan> {
  const scenario = overridden(loaded.definition, options.model_override);
  const [first, second] = scenario.arms;
  const [modelA, modelB, { judge, judge_model }, { sandbox, note, needed }] = await askAll([
    () => modelOf(services, first),
    () => modelOf(services, second),
    () => chooseJudge(services, options.judge_model, scenario.rubric),
    () => sandboxFor(services, scenario),
  ]);
  if (note !== null && needed) services.notice(note);
  const declared = differences(first, second);
  for (const line of [
    assumedProvider(options.judge_model ?? scenario.rubric.judge.model, judge_model),
    undeclared(scenario),
  ])
    if (line !== null) services.notice(line);
  return {
    loaded,
    scenario,
    options,
    models: [modelA, modelB],
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
    flags: contextFlags(scenario.arms, scenario.policies, judge_model),
  };
}

/** A judge without a slash is taken from the default judge's provider: say which, before it is asked. */
const assumedProvider = (named: string | null, judge_model: string) =>
  named === null || named === judge_model || named.includes("/") ? null : `judge "${named}" is taken as ${judge_model}`;

/** Two differences at once, and nobody can tell which one made the winner. */
function undeclared({ arms, varies }: Scenario): string | null {
  const others = varies === null ? [] : differences(...arms).filter((field) => !varies.includes(field));
  return others.length === 0 ? null : `the arms also differ in ${others.join(", ")}, which \`varies\` does not declare`;
}

const overridden = (definition: Scenario, model: string | undefined) =>
  model === undefined ? definition : applyModelOverride(definition, model);

const modelOf = (services: PreparationServices, arm: Arm) => services.resolveModel(arm.model, arm.script);
