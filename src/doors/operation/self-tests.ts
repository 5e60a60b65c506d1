import { Type } from "@sinclair/typebox";
import { Failure } from "../../domain/failure.ts";
import { MAX_PAGE } from "../../domain/request.ts";
import { record } from "../../domain/schema.ts";
import {
  SelfTest,
  SelfTestId,
  SelfTestListing,
  SelfTestListRequest,
  SelfTestRequest,
  SelfTestStarted,
} from "../../domain/self-test.ts";
import { newerFirst } from "../../store/self-test-store.ts";
import { operation } from "./operation.ts";
import type { Services } from "./services.ts";

export const startSelfTest = operation({
  name: "start_self_test",
  title: "Test a judge on a scenario",
  summary:
    "Asks the judge about evidence of which the right answer is known, made from the scenario's fixture and reference fix: 20 to 40 judge calls and no arm. Spends the judge's tokens.",
  input: SelfTestRequest,
  output: SelfTestStarted,
  async run(services, { scenario, judge_model }, signal) {
    const loaded = await services.catalog.get(scenario);
    const { startSelfTest: start } = await import("../../comparison/audit/start-self-test.ts");
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
  run: demandSelfTest,
});

export const listSelfTests = operation({
  name: "list_self_tests",
  title: "List self-tests",
  summary: "Self-tests of judges, newest first: what is stored, and what runs on this server or failed there.",
  input: SelfTestListRequest,
  output: Type.Array(SelfTestListing),
  async run(services, { limit = MAX_PAGE, before }) {
    const { self_tests, store } = services;
    const place = before === undefined ? undefined : await demandSelfTest(services, { self_test_id: before });
    const stored = await store.self_tests.list({ limit, before: place });
    const own = self_tests.all().filter((one) => place === undefined || newerFirst(place, one) < 0);
    // One that ends just now is in both.
    const all = new Map([...own, ...stored].map((one) => [one.self_test_id, one]));
    const newest = [...all.values()].toSorted(newerFirst).slice(0, limit);
    return newest.map(({ parts: _parts, digest: _digest, failure: _failure, ...listed }) => listed);
  },
});

/** @throws Failure `unknown_self_test` */
async function demandSelfTest(
  { self_tests, store }: Pick<Services, "self_tests" | "store">,
  { self_test_id }: { readonly self_test_id: string },
): Promise<SelfTest> {
  const found = self_tests.get(self_test_id) ?? (await store.self_tests.read(self_test_id));
  if (found) return found;
  throw new Failure("unknown_self_test", `there is no self-test "${self_test_id.slice(0, 100)}"`);
}
