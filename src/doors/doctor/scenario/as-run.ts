import { judgeModelName } from "../../../comparison/planning/choose-judge.ts";
import type { RunOptions } from "../../../comparison/planning/prepare-session.ts";
import { priceOf, withPrices } from "../../../comparison/planning/prices.ts";
import { applyModelOverride } from "../../../comparison/scenario/declared-differences.ts";
import type { LoadedScenario } from "../../../comparison/scenario/loaded-scenario.ts";
import type { Services } from "../services.ts";

/** The models that a run takes in place of the file's. */
export type Replacement = Pick<RunOptions, "model_override" | "judge_model">;

/** The scenario that a run with these options would have, as `prepareSession` makes it. Its bytes and commands stay. */
export function asRun(
  services: Pick<Services, "prices" | "judge_model">,
  loaded: LoadedScenario,
  { model_override, judge_model }: Replacement,
): LoadedScenario {
  if (model_override === undefined && judge_model === undefined) return loaded;
  const { definition: authored } = loaded;
  const { prices } = services;
  const overridden = model_override === undefined ? authored : applyModelOverride(authored, model_override);
  const scenario = withPrices(prices, authored, overridden);
  const model = judgeModelName(services, judge_model, authored.rubric.judge.model);
  const { price_per_mtok: _, ...settings } = authored.rubric.judge;
  const price_per_mtok = priceOf(prices, authored, model);
  const judge = { ...settings, model, ...(price_per_mtok !== null && { price_per_mtok }) };
  return { ...loaded, definition: { ...scenario, rubric: { ...scenario.rubric, judge } } };
}
