import { Failure } from "../../domain/failure.ts";
import type { SelfTest } from "../../domain/self-test.ts";
import { idTime } from "../../domain/session.ts";
import { holding } from "../../store/request-keys.ts";
import { reserve } from "../planning/reservation.ts";
import type { SessionServices } from "../planning/services.ts";
import { selfTestKey } from "../scenario/digest.ts";
import type { LoadedScenario } from "../scenario/loaded-scenario.ts";
import { demandRoom } from "../session/start-session.ts";
import type { Requester } from "../session/started-session.ts";
import { prepareSelfTest, type SelfTestOptions, type SelfTestPlan } from "./prepare-self-test.ts";
import { runSelfTest } from "./self-test.ts";
import type { SelfTests } from "./self-tests.ts";

interface TestServices extends SessionServices {
  readonly self_tests: SelfTests;
}

interface StartedSelfTest {
  readonly self_test_id: string;
  /** A failed test is a result too. Never rejects. */
  readonly done: Promise<SelfTest>;
}

/**
 * Begins a self-test that can be read at once, and goes on in the background until the signal fires.
 * @throws KeyHeld when another request with the key was first; Failure as `prepareSelfTest` does; `overloaded`, `storage_full`,
 * `storage_failed`. Then nothing was started.
 */
export async function startSelfTest(
  services: TestServices,
  loaded: LoadedScenario,
  { key, ...options }: SelfTestOptions & Requester,
  signal: AbortSignal,
): Promise<StartedSelfTest> {
  return await startPrepared(services, await prepareSelfTest(services, loaded, options), signal, { key });
}

/** @throws Failure `overloaded`, `storage_full`, `storage_failed` */
export async function startPrepared(
  services: TestServices,
  plan: SelfTestPlan,
  signal: AbortSignal,
  { key }: Requester = {},
): Promise<StartedSelfTest> {
  const { work } = plan;
  demandRoom(services);
  const begun = begin(services, plan);
  const reservation = await holding(services.store.request_keys, key, {
    id: begun.self_test_id,
    work: () => reserve(services, "self-test", typeof work === "string" ? 0 : (work.most_usd ?? null)),
  });
  services.self_tests.set(begun);
  const finish = async () => {
    const ended = await ending(services, plan, begun, signal);
    await reservation.settle(typeof work === "string" ? 0 : work.chosen.spent_usd());
    return ended;
  };
  return { self_test_id: begun.self_test_id, done: finish() };
}

function begin({ clock, entropy }: SessionServices, { scenario, digest, judge }: SelfTestPlan): SelfTest {
  const created_at = clock.now().toISOString();
  return {
    self_test_id: `self-test-${scenario.name}-${idTime(created_at)}-${entropy(3)}`,
    state: "running",
    ...{ scenario: scenario.name, digest, judge },
    ...{ parts: [], calls: 0, cost_usd: null, verdict: null, failure: null },
    ...{ created_at, finished_at: null },
  };
}

/** Runs it to its end. A completed one is in the store, and only there. */
async function ending(
  services: TestServices,
  plan: SelfTestPlan,
  begun: SelfTest,
  signal: AbortSignal,
): Promise<SelfTest> {
  const { self_tests, store, slots, clock, redact } = services;
  try {
    using _slot = await slots.acquire(signal);
    const result = await runSelfTest(plan, redact, signal);
    const ended: SelfTest = { ...begun, ...result, state: "completed", finished_at: clock.now().toISOString() };
    await store.self_tests.keep(selfTestKey(plan.digest, plan.judge), ended);
    self_tests.delete(ended.self_test_id);
    return ended;
  } catch (error) {
    const { code, message } = failureOf(error, services);
    const finished_at = clock.now().toISOString();
    const failed: SelfTest = { ...begun, state: "failed", failure: { code, message }, finished_at };
    self_tests.set(failed);
    return failed;
  }
}

function failureOf(error: unknown, { notice }: SessionServices): Failure {
  if (error instanceof Failure) return error;
  notice(`internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return new Failure("internal", "an internal error ended the self-test; its details are in the program's log");
}
