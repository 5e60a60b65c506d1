import { isJudged } from "../../../comparison/judge/scenario-brief.ts";
import { judgeModelName } from "../../../comparison/planning/choose-judge.ts";
import { isOneFamily, sharesOneFamily } from "../../../comparison/planning/context-flags.ts";
import { type Check, pass, warn } from "../check.ts";
import { IDLE } from "../idle.ts";
import type { DeclaredScenario } from "../services.ts";

/** Only some weights can be 0 here: a file with none above 0 is refused. */
export const weights: Check<DeclaredScenario> = {
  id: "rubric.weights",
  title: "Weights of the criteria",
  run({ loaded }) {
    const { criteria } = loaded.definition.rubric;
    const weightless = criteria.filter(({ weight }) => weight === 0).map(({ id }) => id);
    return weightless.length === 0
      ? pass(criteria.map(({ id, weight }) => `${id} ${weight}`).join(", "))
      : warn(`${weightless.join(", ")} decides nothing: its weight is 0`, "give it a weight, or remove it");
  },
};

export const judgeFamily: Check<DeclaredScenario> = {
  id: "rubric.judge_family",
  title: "Judge is no relative of one arm",
  run({ services, loaded }) {
    const { arms, rubric } = loaded.definition;
    const judge = judgeModelName(services, undefined, rubric.judge.model);
    if (!rubric.criteria.some(isJudged)) return pass(IDLE.no_judged);
    if (sharesOneFamily(judge, arms))
      return warn(
        `${judge} comes from the maker of one arm's model only, and may favour it`,
        "take a judge of another maker, or a panel with judges of other makers",
      );
    return isOneFamily(judge)
      ? warn(`${judge}: all judges come from one maker, and err alike`, "take judges of other makers into the panel")
      : pass(judge);
  },
};
