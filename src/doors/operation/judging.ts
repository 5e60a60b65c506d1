import { Failure } from "../../domain/failure.ts";
import { MAX_PAGE } from "../../domain/request.ts";
import type { SelfTest } from "../../domain/self-test.ts";
import { newerFirst } from "../../store/self-test-store.ts";
import { doOnce } from "./do-once.ts";
import type { Operation, Services } from "./operation.ts";

export const startSelfTest: Operation<"startSelfTest"> = async (
  services,
  { scenario, judge_model, max_cost_usd },
  signal,
  requester,
) => {
  const start = async () => {
    const loaded = await services.catalog.get(scenario);
    const { startSelfTest: begin } = await import("../../comparison/audit/start-self-test.ts");
    const { self_test_id } = await begin(services, loaded, { judge_model, max_cost_usd, key: requester?.key }, signal);
    return { self_test_id };
  };
  return await doOnce(services, requester, { start, again: async (self_test_id) => ({ self_test_id }) });
};

export const getSelfTest: Operation<"getSelfTest"> = (services, { id }) => demandSelfTest(services, id);

export const listSelfTests: Operation<"listSelfTests"> = async (services, { limit = MAX_PAGE, before }) => {
  const { self_tests, store } = services;
  const place = before === undefined ? undefined : await demandSelfTest(services, before);
  const stored = await store.self_tests.list({ limit, before: place });
  const own = self_tests.all().filter((one) => place === undefined || newerFirst(place, one) < 0);
  // A self-test that ends at this moment is in both lists.
  const all = new Map([...own, ...stored].map((one) => [one.self_test_id, one]));
  const newest = [...all.values()].toSorted(newerFirst).slice(0, limit);
  return newest.map(({ parts: _parts, digest: _digest, failure: _failure, ...listed }) => listed);
};

/** @throws Failure `unknown_self_test` */
async function demandSelfTest(
  { self_tests, store }: Pick<Services, "self_tests" | "store">,
  self_test_id: string,
): Promise<SelfTest> {
  const found = self_tests.get(self_test_id) ?? (await store.self_tests.read(self_test_id));
  if (found) return found;
  throw new Failure("unknown_self_test", `there is no self-test "${self_test_id.slice(0, 100)}"`);
}

export const listJudges: Operation<"listJudges"> = async ({ store }, { model }, signal) => {
  const { profileJudges } = await import("../../comparison/audit/profile-judges.ts");
  return await profileJudges(store, model, signal);
};

export const vote: Operation<"vote"> = async (services, { id, ...request }) => {
  const { vote: keep } = await import("../../comparison/session/vote.ts");
  return await keep(services, id, request);
};

export const rejudge: Operation<"rejudge"> = async (services, request, signal, requester) => {
  const { rejudge: rejudgeArms, rejudgedBefore } = await import("../../comparison/session/rejudge.ts");
  return await doOnce(services, requester, {
    start: () => rejudgeArms(services, request, signal, requester),
    again: (verdict_id) => rejudgedBefore(services, request, verdict_id),
  });
};
