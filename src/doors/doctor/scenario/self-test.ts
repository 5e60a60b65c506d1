import { judgeModelName } from "../../../comparison/planning/choose-judge.ts";
import { conditionsOf, selfTestKeyOf } from "../../../comparison/planning/comparison.ts";
import { type Check, pass, skip, warn } from "../check.ts";
import { IDLE } from "../idle.ts";
import type { DeclaredScenario } from "../services.ts";

/** What is known of the judge on this scenario. It looks at what is stored and asks nobody. */
export const judgeSelfTest: Check<DeclaredScenario> = {
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
