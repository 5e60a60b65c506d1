import { isAnswering } from "../../domain/answering.ts";
import type { Arm } from "../../domain/arm.ts";
import { canonicalJson } from "../../domain/canonical-json.ts";
import { Failure } from "../../domain/failure.ts";
import { isScripted } from "../../domain/model-name.ts";
import type { Scenario } from "../../domain/scenario.ts";
import { VARIABLE_FIELDS, type VariableField } from "./authored/scenario-file.ts";

/**
 * The fields in which two arms are set up to differ. Id, title, script and the name after `scripted/` never count. Prices
 * count only when both arms have the same model, since another model has other prices anyway.
 */
export function differences(first: Arm, second: Arm): VariableField[] {
  if (first.ran || second.ran) return comparable(first, "ran") === comparable(second, "ran") ? [] : ["ran"];
  const differing = VARIABLE_FIELDS.filter((field) => differ(first, second, field));
  const implied = [
    ...(differing.includes("model") ? PRICED : []),
    ...((first.agent === undefined) === (second.agent === undefined) ? [] : OF_OUR_LOOP),
    ...(isAnswering(first) || isAnswering(second) ? OF_MODELS : []),
  ];
  return differing.filter((field) => !implied.includes(field));
}

/** The fields in which any arm is set up to differ from the first. */
export function differencesAmong([first, ...others]: Scenario["arms"]): VariableField[] {
  const differing = new Set(others.flatMap((other) => differences(first, other)));
  return VARIABLE_FIELDS.filter((field) => differing.has(field));
}

/** Rows of a table share what no template fills. */
const differ = (first: Arm, second: Arm, field: VariableField) =>
  first[field] !== second[field] && comparable(first, field) !== comparable(second, field);

const PRICED: readonly VariableField[] = ["price_per_mtok"];

/** An external agent has none of these: beside one they say nothing more. */
const OF_OUR_LOOP: readonly VariableField[] = ["system_prompt", "tools", "mcp", "params"];

/** Beside an arm that answers by itself, or of one, these say nothing more. */
const OF_MODELS: readonly VariableField[] = ["model", ...OF_OUR_LOOP, ...PRICED];

/**
 * The definition with one model for both arms. The file's prices are for other models, so they go.
 * @throws Failure `invalid_request` for an arm that ran elsewhere, or that answers by itself
 */
export function applyModelOverride(definition: Scenario, model: string): Scenario {
  const ran = definition.arms.find((arm) => arm.ran !== undefined);
  if (ran)
    throw new Failure(
      "invalid_request",
      `arm "${ran.id}" ran elsewhere, so no model can take the place of its own; leave out model_override (--model)`,
      { details: { field: "model_override" } },
    );
  const answering = definition.arms.find(isAnswering);
  if (answering)
    throw new Failure(
      "invalid_request",
      `arm "${answering.id}" answers by itself (${answering.endpoint ? "endpoint" : "program"}), so no model can take its place; leave out model_override (--model)`,
      { details: { field: "model_override" } },
    );
  const [first, second, ...others] = definition.arms;
  const withModel = (arm: Arm): Arm => ({ ...arm, model, price_per_mtok: null });
  return { ...definition, arms: [withModel(first), withModel(second), ...others.map(withModel)] };
}

function comparable(arm: Arm, field: VariableField): string {
  if (field === "model") return isScripted(arm.model) ? "scripted" : arm.model;
  if (field === "tools") return canonicalJson([...arm.tools].sort());
  if (field === "files") return arm.files?.digest ?? "";
  if (field === "agent" && arm.agent) return canonicalJson({ ...arm.agent, files: arm.agent.files?.digest });
  return canonicalJson(arm[field] ?? null);
}
