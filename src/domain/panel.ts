import { isBuiltin, isScripted } from "./model-name.ts";
import { priceKey } from "./price-list.ts";
import { MODEL_NAME_CHARS } from "./schema.ts";

/** Odd, so that there is a majority. More than five judges add little. */
const PANEL_SIZES: readonly number[] = [3, 5];

/** The longest name of a panel. */
export const JUDGE_NAME_CHARS = 5 * (MODEL_NAME_CHARS + 2) + "panel()".length;

/** Why these judges are no panel; undefined: they are one. */
export function panelProblem(judges: readonly string[]): string | undefined {
  if (!PANEL_SIZES.includes(judges.length))
    return `a panel has 3 or 5 judges, and ${judges.length} are named; name one judge, 3 or 5`;
  const unusable = judges.find((judge) => judge === "" || /[+()]/.test(judge));
  if (unusable !== undefined) return `${JSON.stringify(unusable)} is no name of a judge in a panel`;
  const mute = judges.find((judge) => isBuiltin(judge) || isScripted(judge));
  if (mute !== undefined) return `${mute} asks no model, so it has no vote in a panel; name models only`;
  const twice = judges.find((judge, index) => judges.findIndex((one) => priceKey(one) === priceKey(judge)) < index);
  return twice === undefined ? undefined : `${twice} is named twice; the judges of a panel are different models`;
}
