import type { Arm, Scenario } from "../domain/scenario.ts";
import { VARIABLE_FIELDS, type VariableField } from "../domain/scenario-file.ts";
import { canonicalJson } from "./digest.ts";

/**
 * Fields in which two arms are set up to differ. Id, title, script and the name after `scripted/` never count; prices count
 * only for one and the same model, since another model has other prices anyway.
 */
export function differences(first: Arm, second: Arm): VariableField[] {
  const differing = VARIABLE_FIELDS.filter((field) => comparable(first, field) !== comparable(second, field));
  return differing.includes("model") ? differing.filter((field) => field !== "price_per_mtok") : differing;
}

/** The definition with one model for both arms. Their prices are unknown from then on, and so is what they cost. */
export function applyModelOverride(definition: Scenario, model: string): Scenario {
  const [first, second] = definition.arms;
  const withModel = (arm: Arm): Arm => ({ ...arm, model, price_per_mtok: null });
  return { ...definition, arms: [withModel(first), withModel(second)] };
}

function comparable(arm: Arm, field: VariableField): string {
  if (field === "model") return arm.model.replace(/^scripted\/.*/, "scripted/");
  if (field === "tools") return canonicalJson([...arm.tools].sort());
  return canonicalJson(arm[field]);
}
