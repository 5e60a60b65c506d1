import { Failure } from "../domain/failure.ts";
import { record } from "../domain/schema.ts";
import { SelfTest, SelfTestId, SelfTestRequest, SelfTestStarted } from "../domain/self-test.ts";
import { operation } from "./operation.ts";

export const startSelfTest = operation({
  name: "start_self_test",
  title: "Test a judge on a scenario",
  summary:
    "Asks the judge about evidence of which the right answer is known, made from the scenario's fixture and reference fix: 20 to 40 judge calls and no arm. Spends the judge's tokens.",
  input: SelfTestRequest,
  output: SelfTestStarted,
  async run(services, { scenario, judge_model }, signal) {
    const loaded = await services.catalog.get(scenario);
    const { startSelfTest: start } = await import("../audit/start-self-test.ts");
    const { self_test_id } = await start(services, loaded, { judge_model }, signal);
    return { self_test_id };
  },
});

export const getSelfTest = operation({
  name: "get_self_test",
  title: "Get a self-test",
  summary: "What a self-test of a judge found, part by part. Also while it runs.",
  input: record("GetSelfTestRequest", { self_test_id: SelfTestId }),
  output: SelfTest,
  async run({ self_tests, store }, { self_test_id }) {
    const found = self_tests.get(self_test_id) ?? (await store.selfTest(self_test_id));
    if (found) return found;
    throw new Failure("unknown_self_test", `there is no self-test "${self_test_id.slice(0, 100)}"`);
  },
});
