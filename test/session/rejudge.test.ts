import { expect, test } from "bun:test";
import type { SessionServices } from "../../src/comparison/planning/services.ts";
import type { LoadedScenario } from "../../src/comparison/scenario/loaded-scenario.ts";
import { rejudge } from "../../src/comparison/session/rejudge.ts";
import type { VerdictRequest } from "../../src/domain/request.ts";
import type { Scenario } from "../../src/domain/scenario.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { readSession } from "../../src/store/read-session.ts";
import { light, runOnce, testServices } from "../harness.ts";
import { anOutcome } from "../outcomes.ts";
import { keep } from "../stored.ts";

const never = new AbortController().signal;

const BUILT_IN = "builtin/evidence";

const pointersOf = ({ session_id, arms: [first, second] }: SessionOutcome) =>
  [
    { session_id, arm_id: first.arm_id },
    { session_id, arm_id: second.arm_id },
  ] as const;

/** A session of the bundled scenario, with another definition where a test wants one. */
async function stored(services: SessionServices, change: (definition: Scenario) => Partial<Scenario> = () => ({})) {
  const loaded: LoadedScenario = await light("extract-rate-limit");
  const definition = { ...loaded.definition, ...change(loaded.definition) };
  const { outcome } = await runOnce(services, { ...loaded, definition }, { judge_model: BUILT_IN });
  return outcome;
}

const refusal = (services: SessionServices, request: VerdictRequest): Promise<string> =>
  rejudge(services, request, never).then(
    () => "judged",
    ({ code }) => code,
  );

test("a second judging of the same arms says so, and is kept beside the first", async () => {
  const services = testServices();
  const outcome = await stored(services);
  const [arm_a, arm_b] = pointersOf(outcome);
  const verdict = await rejudge(services, { arm_a, arm_b, judge_model: BUILT_IN }, never);
  expect(verdict).toMatchObject({ kind: "rejudge", arm_a, arm_b });
  expect(verdict.flags).toContain("exploratory_rejudge");
  expect(verdict.flags).not.toContain("scenario_drift");
  expect(await readSession(services.store, outcome.session_id)).toMatchObject({
    state: "completed",
    verdict: { verdict_id: outcome.verdict?.verdict_id },
    verdicts: [verdict],
  });
});

test("arms of two sessions are judged, and both sessions keep the verdict", async () => {
  const services = testServices();
  const [first, second] = [await stored(services), await stored(services)];
  const request = { arm_a: pointersOf(first)[0], arm_b: pointersOf(second)[1], judge_model: BUILT_IN };
  const verdict = await rejudge(services, request, never);
  expect(verdict.kind).toBe("cross_session");
  for (const { session_id } of [first, second])
    expect((await readSession(services.store, session_id))?.verdicts).toEqual([verdict]);
});

test("a first judging of arms whose session has no verdict is not exploratory, and completes the session", async () => {
  const services = testServices();
  const judged = await stored(services);
  const session_id = "session-extract-rate-limit-20260102T030405678Z";
  const failure = {
    stage: "judging",
    class: "infra",
    code: "provider_failed",
    message: "no",
    retryable: true,
  } as const;
  await keep(services.store, { ...judged, session_id, state: "failed", verdict: null, failure });
  const [arm_a, arm_b] = pointersOf({ ...judged, session_id });
  const verdict = await rejudge(services, { arm_a, arm_b, judge_model: BUILT_IN }, never);
  expect(verdict.flags).not.toContain("exploratory_rejudge");
  expect(await readSession(services.store, session_id)).toMatchObject({ state: "completed", failure: null, verdict });
});

test("two runs whose task or policies differ have drifted apart; other models have not", async () => {
  const services = testServices();
  const first = await stored(services);
  const other = await stored(services, ({ task }) => ({ task: { ...task, prompt: `${task.prompt} Quickly.` } }));
  const same = await stored(services, ({ arms: [a, b] }) => ({ arms: [{ ...a, title: "Renamed" }, b] }));
  const flagsWith = async (second: SessionOutcome) => {
    const request = { arm_a: pointersOf(first)[0], arm_b: pointersOf(second)[1], judge_model: BUILT_IN };
    return (await rejudge(services, request, never)).flags;
  };
  expect(await flagsWith(other)).toContain("scenario_drift");
  expect(await flagsWith(same)).not.toContain("scenario_drift");
});

test("the same arm of two runs is no contrast", async () => {
  const services = testServices();
  const [first, second] = [await stored(services), await stored(services)];
  const request = { arm_a: pointersOf(first)[0], arm_b: pointersOf(second)[0], judge_model: BUILT_IN };
  expect((await rejudge(services, request, never)).flags).toContain("no_contrast");
});

test("a cost limit without a price is told by the price that the run had, not by the file", async () => {
  const services = testServices();
  const capped = ({ policies }: Scenario): Partial<Scenario> => ({
    policies: { ...policies, budget: { ...policies.budget, max_cost_usd: 5 } },
  });
  const outcome = await stored(services, capped);
  const price = { in: 1, out: 1, cached_in: null };
  const asked = async (session_id: string, arms: Record<string, typeof price | null>) => {
    const settings = { ...outcome.settings, prices: { arms, judge: null } };
    await keep(services.store, { ...outcome, session_id, settings });
    const [arm_a, arm_b] = pointersOf({ ...outcome, session_id });
    return (await rejudge(services, { arm_a, arm_b, judge_model: BUILT_IN }, never)).flags;
  };
  const [a, b] = outcome.arms.map(({ arm_id }) => arm_id);
  if (a === undefined || b === undefined) throw new Error("two arms");
  const priced = await asked("session-extract-rate-limit-20260102T030405001Z", { [a]: price, [b]: price });
  expect(priced).not.toContain("cost_cap_inactive");
  const half = await asked("session-extract-rate-limit-20260102T030405002Z", { [a]: price, [b]: null });
  expect(half).toContain("cost_cap_inactive");
});

test("what cannot be judged is refused with its reason, and nothing is stored", async () => {
  const services = testServices();
  const outcome = await stored(services);
  const [arm_a, arm_b] = pointersOf(outcome);
  const waiting = "session-extract-rate-limit-20260102T030405678Z";
  await keep(services.store, anOutcome(waiting, { scenario: outcome.scenario }));
  const foreign = "session-sample-20260102T030405678Z";
  await keep(services.store, anOutcome(foreign));
  const judge_model = BUILT_IN;
  expect(await refusal(services, { arm_a, arm_b: arm_a, judge_model })).toBe("invalid_request");
  const unknown = { session_id: `${foreign.slice(0, -2)}9Z`, arm_id: "left" };
  expect(await refusal(services, { arm_a, arm_b: unknown, judge_model })).toBe("unknown_session");
  // Before the arm is looked for, the judge is chosen or its key asked for.
  const mismatch = { arm_a, arm_b: { session_id: foreign, arm_id: "nobody" }, judge_model: "openai/no-key" };
  expect(await refusal(services, mismatch)).toBe("scenario_mismatch");
  const nobody = { ...arm_b, arm_id: "nobody" };
  expect(await refusal(services, { arm_a, arm_b: nobody, judge_model })).toBe("unknown_arm");
  const unexamined = { session_id: waiting, arm_id: "left" };
  expect(await refusal(services, { arm_a, arm_b: unexamined, judge_model })).toBe("session_not_finished");
  expect(await refusal(services, { arm_a, arm_b, judge_model: "openai/judge" })).toBe("credentials_missing");
  expect((await readSession(services.store, outcome.session_id))?.verdicts).toEqual([]);
});
