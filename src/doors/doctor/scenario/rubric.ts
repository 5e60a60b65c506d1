import { isJudged } from "../../../comparison/judge/scenario-brief.ts";
import { judgeModelName } from "../../../comparison/planning/choose-judge.ts";
import { conditionsOf, selfTestKeyOf } from "../../../comparison/planning/comparison.ts";
import { isOneFamily, sharesOneFamily } from "../../../comparison/planning/context-flags.ts";
import { type Check, IDLE, pass, skip, warn } from "../check.ts";
import type { DeclaredScenario } from "../services.ts";

/** Only some weights can be 0 here: a file with none above 0 is refused. */
const weights: Check<DeclaredScenario> = {
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

const judgeFamily: Check<DeclaredScenario> = {
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

/** What is known of the judge on this scenario. It looks at what is stored and asks nobody. */
const judgeSelfTest: Check<DeclaredScenario> = {
  id: "rubric.self_test",
  title: "Self-test of the judge",
  async run({ services, loaded: { definition } }) {
    const judge = judgeModelName(services, undefined, definition.rubric.judge.model);
    const key = selfTestKeyOf(conditionsOf(definition, judge));
    if (key === null) return pass(IDLE.no_judge);
    const found = await services.store.self_tests.latest(key);
    if (!found)
      return skip(`${judge} has not been tested on this scenario: abeval run --self-test, or POST /api/self-tests`);
    const told = found.parts.map(({ id, verdict, note }) => `${id} ${verdict}: ${note}`).join("; ");
    const age = `${judge}, ${ageOf(services.clock.now().getTime() - Date.parse(found.created_at))} ago: ${told}`;
    return found.verdict === "pass"
      ? pass(age)
      : warn(age, "take another judge, or a panel, or sharpen the rubric's anchors");
  },
};

const HOUR_MS = 3_600_000;

function ageOf(ms: number): string {
  const hours = Math.floor(ms / HOUR_MS);
  if (hours < 1) return "less than an hour";
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}

export const rubricChecks: readonly Check<DeclaredScenario>[] = [weights, judgeFamily, judgeSelfTest];
