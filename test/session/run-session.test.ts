import { expect, test } from "bun:test";
import type { RunEvent } from "../../src/domain/event.ts";
import { Failure } from "../../src/domain/failure.ts";
import type { Probe } from "../../src/domain/scenario.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { prepareSession } from "../../src/session/prepare-session.ts";
import { rejudge } from "../../src/session/rejudge.ts";
import { Slots } from "../../src/session/slots.ts";
import { startSession } from "../../src/session/start-session.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { SessionStore } from "../../src/store/store.ts";
import { LiveRuns } from "../../src/stream/live-runs.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { playScript } from "../fake-provider/play-script.ts";
import { bundled, runOnce, testServices } from "../harness.ts";
import { wellFormed } from "../judge/mock-judge.ts";

const WINNERS = [
  ["pager-last-page", "root-cause", "probe"],
  ["file-server-traversal", "close-class", "probe"],
  ["log-triage", "shell", "probe"],
  ["extract-rate-limit", "move-only", "measured"],
] as const;

const never = new AbortController().signal;

/** The fake provider in the place of both arms' models and, when scored, of a judge who reads the evidence. */
const asProvider = async (name: string) => {
  const { definition } = await bundled(name);
  return playScript({
    scriptOf: ({ system, tools }) =>
      definition.arms.find((arm) => arm.system_prompt === system && arm.tools.length === tools.length)?.script ??
      undefined,
    judge: (request) =>
      wellFormed({ ...request, params: { max_output_tokens: 1 }, timeout_ms: 1 } as never, ({ evidence }) =>
        Object.fromEntries([["cause", /Math\.ceil\(total \/ size\)/.test(evidence) ? 4 : 1]]),
      ),
  });
};

function tokensOf({ decisions }: SessionOutcome, arm_id: string): [number, number] {
  const log = decisions[arm_id] ?? [];
  return [log.reduce((sum, d) => sum + d.tokens_in, 0), log.reduce((sum, d) => sum + d.tokens_out, 0)];
}

test.each(WINNERS)("%s ends with %s as the winner, decided by %s", async (name, winner, decided_by) => {
  const { outcome, events } = await runOnce(testServices(), await bundled(name));
  expect(outcome.failure).toBeNull();
  expect(outcome).toMatchObject({ state: "completed", verdict: { outcome: "winner", winner, decided_by } });
  expect(events.at(-1)).toMatchObject({ event: "verdict_ready", verdict: { winner } });
  expect(events.filter(({ event }) => event === "arm_finished")).toHaveLength(2);
  for (const arm of outcome.arms) {
    expect(arm.status).toBe("finished");
    expect(tokensOf(outcome, arm.arm_id)).toEqual([arm.tokens_in ?? -1, arm.tokens_out ?? -1]);
  }
});

const OVER_THE_WIRE = ["anthropic", "openai", "gateway"].flatMap((provider) =>
  WINNERS.map(([name, winner, decided_by]) => ({ name, provider, winner, decided_by })),
);

test.each(OVER_THE_WIRE)(
  "$name runs through the real SDK of $provider",
  async ({ name, provider, winner, decided_by }) => {
    await using server = await startFakeProvider({ reply: await asProvider(name) });
    const services = testServices(server.environment);
    const { outcome } = await runOnce(services, await bundled(name), { model_override: `${provider}/fake-model` });
    expect(outcome).toMatchObject({ state: "completed", verdict: { outcome: "winner", winner, decided_by } });
    expect(outcome.arms.map(({ model }) => model)).toEqual([`${provider}/fake-model`, `${provider}/fake-model`]);
    expect(server.requests.length).toBe(outcome.arms[0].turns + outcome.arms[1].turns);
  },
);

test.each(["anthropic", "openai"])(
  "a model judge over the real SDK of %s is asked in both orders and explains",
  async (provider) => {
    await using server = await startFakeProvider({ reply: await asProvider("pager-last-page") });
    const services = testServices(server.environment);
    const options = { judge_model: `${provider}/judge` };
    const { outcome } = await runOnce(services, await bundled("pager-last-page"), options);
    const { verdict } = outcome;
    expect(verdict?.calls.map(({ order, valid, label }) => ({ order, valid, label }))).toEqual([
      { order: "ab", valid: true, label: "b" },
      { order: "ba", valid: true, label: "b" },
    ]);
    expect(verdict).toMatchObject({ winner: "root-cause", decided_by: "probe", judge: { model: `${provider}/judge` } });
  },
);

test("the session can be read the moment its verdict is announced, and nothing is live after it", async () => {
  const services = testServices();
  const plan = await prepareSession(services, await bundled("extract-rate-limit"), {});
  const { session_id, done } = await startSession(services, plan);
  for await (const event of services.live.get(session_id)?.events() ?? []) {
    if (event.event !== "verdict_ready") continue;
    expect(services.store.get(session_id)).toMatchObject({ state: "completed", verdict: event.verdict });
  }
  expect(services.live.get(session_id)).toBeUndefined();
  expect(services.store.get(session_id)).toEqual(await done);
});

test("one arm failing for the provider's reasons stops the other and fails the session, with no verdict", async () => {
  const { definition } = await bundled("pager-last-page");
  await using server = await startFakeProvider({
    reply: ({ system }) =>
      system === definition.arms[0].system_prompt
        ? { status: 401, body: { error: { message: "no such key" } } }
        : { calls: [{ name: "list_files", input: {} }], delay_ms: 5 },
  });
  const { outcome, events } = await runOnce(testServices(server.environment), await bundled("pager-last-page"), {
    model_override: "openai/fake",
  });
  expect(outcome).toMatchObject({
    state: "failed",
    verdict: null,
    failure: { stage: "running", class: "infra", code: "provider_failed" },
  });
  expect(outcome.arms.map(({ status }) => status)).toEqual(["failed", "cancelled"]);
  expect(events.at(-1)).toMatchObject({ event: "session_failed", stage: "running", code: "provider_failed" });
});

test("a judge that cannot be reached costs no arm: a rejudge completes the session", async () => {
  await using server = await startFakeProvider({ reply: { status: 401, body: { error: { message: "no" } } } });
  const services = testServices(server.environment);
  const { outcome } = await runOnce(services, await bundled("pager-last-page"), { judge_model: "openai/judge" });
  expect(outcome).toMatchObject({ state: "failed", verdict: null, failure: { stage: "judging" } });
  expect(outcome.arms.map(({ status, probe }) => [status, probe?.total])).toEqual([
    ["finished", 4],
    ["finished", 4],
  ]);
  const { session_id } = outcome;
  const [arm_a, arm_b] = outcome.arms.map(({ arm_id }) => ({ session_id, arm_id }));
  if (!arm_a || !arm_b) throw new Error("a session has two arms");
  const verdict = await rejudge(services, { arm_a, arm_b, judge_model: "builtin/evidence" }, never);
  expect(verdict).toMatchObject({ kind: "rejudge", winner: "root-cause" });
  expect(services.store.get(session_id)).toMatchObject({
    state: "completed",
    failure: null,
    verdict: { verdict_id: verdict.verdict_id },
    verdicts: [{ verdict_id: verdict.verdict_id }],
  });
});

test("a judge that answers nonsense gives a stored verdict that is invalid, and gates stand all the same", async () => {
  await using server = await startFakeProvider({ reply: { text: "Both are great!" } });
  const services = testServices(server.environment);
  const gated = await runOnce(services, await bundled("pager-last-page"), { judge_model: "openai/judge" });
  expect(gated.outcome.verdict).toMatchObject({ outcome: "winner", decided_by: "probe" });
  expect(gated.outcome.verdict?.flags).toContain("judge_invalid");
  const open = await runOnce(services, await bundled("extract-rate-limit"), { judge_model: "openai/judge" });
  expect(open.outcome).toMatchObject({ state: "completed", verdict: { outcome: "invalid", winner: null } });
});

test.each(["preparing", "running", "probing", "judging"] as const)(
  "a run that is cancelled while %s ends as cancelled",
  async (stage) => {
    await using server = await startFakeProvider({ reply: { fault: "hang" } });
    const services = testServices(server.environment);
    const loaded = await bundled("pager-last-page");
    const setup = stage === "preparing" ? [{ run: "sleep 60", timeout_s: 60 }] : [];
    const probe = stage === "probing" ? slowProbe(loaded.definition.task.probe) : loaded.definition.task.probe;
    const definition = { ...loaded.definition, task: { ...loaded.definition.task, setup, probe } };
    const options = {
      ...(stage === "judging" ? { judge_model: "openai/judge" } : {}),
      ...(stage === "running" ? { model_override: "openai/slow" } : {}),
    };
    const plan = await prepareSession(services, { ...loaded, definition }, options);
    const { session_id, done } = await startSession(services, plan);
    while (services.store.get(session_id)?.state !== stage) await Bun.sleep(5);
    services.live.get(session_id)?.cancel(new Failure("cancelled", "The run was cancelled."));
    const outcome = await done;
    expect(outcome).toMatchObject({ state: "cancelled", verdict: null, failure: { stage, code: "cancelled" } });
    expect(services.live.get(session_id)).toBeUndefined();
  },
);

const slowProbe = (probe: Probe | null): Probe | null =>
  probe && { ...probe, checks: probe.checks.map((check) => ({ ...check, run: "sleep 60" })) };

test("a failing setup step is the scenario's fault, never an arm's", async () => {
  const loaded = await bundled("pager-last-page");
  const task = { ...loaded.definition.task, setup: [{ run: "echo no network; exit 3", timeout_s: 10 }] };
  const { outcome } = await runOnce(testServices(), { ...loaded, definition: { ...loaded.definition, task } });
  expect(outcome).toMatchObject({ state: "failed", failure: { stage: "preparing", code: "setup_failed" } });
  expect(outcome.failure?.message).toContain("no network");
  expect(outcome.arms.map(({ turns }) => turns)).toEqual([0, 0]);
});

test("a verdict that cannot be stored is kept in the outcome: it has been paid for", async () => {
  const store = memoryStore();
  const full = new Failure("storage_full", "no space left");
  const services = testServices(
    {},
    {
      store: {
        ...store,
        save(outcome) {
          if (outcome.state === "completed") throw full;
          store.save(outcome);
        },
      },
    },
  );
  const { outcome, events } = await runOnce(services, await bundled("extract-rate-limit"));
  expect(outcome).toMatchObject({
    state: "failed",
    verdict: { winner: "move-only" },
    failure: { stage: "saving", code: "storage_full" },
  });
  expect(events.at(-1)).toMatchObject({ event: "session_failed", stage: "saving" });
});

const FULL = new Failure("storage_full", "no space left");

test("a session that cannot be stored is not started", async () => {
  const notices: string[] = [];
  const services = testServices(
    {},
    {
      store: { ...memoryStore(), committed: () => Promise.reject(FULL) },
      notice: (line) => void notices.push(line),
    },
  );
  const started = runOnce(services, await bundled("extract-rate-limit"));
  await expect(started).rejects.toBe(FULL);
  expect(services.live.ids()).toEqual([]);
  expect(notices.filter((line) => !line.startsWith("no sandbox"))).toEqual([]);
});

test("a session that stands in line and cannot be stored does not run when its turn comes", async () => {
  const slots = new Slots(1, 1);
  const held = await slots.take(new AbortController().signal);
  const events: RunEvent[] = [];
  const live = new LiveRuns();
  let stored = false;
  const store: SessionStore = {
    ...memoryStore(),
    committed: () => (stored ? Promise.resolve() : Promise.reject(FULL)),
  };
  const services = testServices({}, { slots, live, store });
  const plan = await prepareSession(services, await bundled("extract-rate-limit"), {});
  const started = startSession(services, plan);
  const [run] = live.all();
  await expect(started).rejects.toBe(FULL);
  stored = true;
  held[Symbol.dispose]();
  for await (const event of run?.events() ?? []) events.push(event);
  expect(events.map(({ event }) => event)).toEqual(["session_failed"]);
  await slots.take(new AbortController().signal);
});

test("a stage that cannot be stored does not begin", async () => {
  const store = memoryStore();
  let judging = false;
  const failing: SessionStore = {
    ...store,
    save(outcome) {
      judging = outcome.state === "judging";
      store.save(outcome);
    },
    committed: () => (judging ? Promise.reject(FULL) : Promise.resolve()),
  };
  const { outcome, events } = await runOnce(testServices({}, { store: failing }), await bundled("extract-rate-limit"));
  expect(outcome).toMatchObject({
    state: "failed",
    verdict: null,
    failure: { stage: "judging", code: "storage_full" },
  });
  expect(events.at(-1)?.event).toBe("session_failed");
});

test("a decision that was lost after all is not announced, and no arm makes another", async () => {
  const store = memoryStore();
  let written = 0;
  const services = testServices(
    {},
    {
      store: {
        ...store,
        append(...decision) {
          written += 1;
          store.append(...decision);
        },
        // Only the first decision is lost: there is space again at once.
        committed: () => (written === 1 ? Promise.reject(FULL) : Promise.resolve()),
      },
    },
  );
  const { outcome, events } = await runOnce(services, await bundled("extract-rate-limit"));
  expect(outcome).toMatchObject({ state: "failed", failure: { stage: "running", code: "storage_full" } });
  const announced = events.filter(({ event }) => event === "decision");
  expect(announced.length).toBeLessThan(written);
  expect(written).toBeLessThan(4);
});

test("a rejudge is answered when its verdict is on the disk", async () => {
  const [asked, disk] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const store = memoryStore();
  const services = testServices({}, { store });
  const { outcome } = await runOnce(services, await bundled("extract-rate-limit"));
  const durable = () => {
    asked.resolve();
    return disk.promise;
  };
  const [arm_a, arm_b] = outcome.arms.map(({ arm_id }) => ({ session_id: outcome.session_id, arm_id }));
  if (!arm_a || !arm_b) throw new Error("no arms");
  let answered = false;
  const judging = rejudge({ ...services, store: { ...store, durable } }, { arm_a, arm_b }, never).then(() => {
    answered = true;
  });
  await asked.promise;
  await new Promise((resolve) => setImmediate(resolve));
  expect(answered).toBe(false);
  disk.resolve();
  await judging;
  expect(answered).toBe(true);
});

test("the verdict is announced when it is on the disk, not before", async () => {
  const store = memoryStore();
  const [asked, disk] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const durable = () => {
    asked.resolve();
    return disk.promise;
  };
  const services = testServices({}, { store: { ...store, durable } });
  const plan = await prepareSession(services, await bundled("extract-rate-limit"), {});
  const { session_id, done } = await startSession(services, plan);
  const kinds: string[] = [];
  const reading = (async () => {
    for await (const { event } of services.live.get(session_id)?.events() ?? []) kinds.push(event);
  })();
  await asked.promise;
  // A turn of the event loop: whatever is announced already has come by then.
  await new Promise((resolve) => setImmediate(resolve));
  expect(kinds).toContain("arm_finished");
  expect(kinds).not.toContain("verdict_ready");
  disk.resolve();
  await Promise.all([done, reading]);
  expect(kinds.at(-1)).toBe("verdict_ready");
});

test("a rule that is found broken only afterwards is in the log, and puts the arm out", async () => {
  const loaded = await bundled("extract-rate-limit");
  const required = [{ id: "pushed", tool: "run_command", match: "git push*", min: 1 }] as const;
  const severity = { ...loaded.definition.policies.severity, required: "disqualify" } as const;
  const policies = { ...loaded.definition.policies, required: [...required], severity };
  const { outcome } = await runOnce(testServices(), { ...loaded, definition: { ...loaded.definition, policies } });
  expect(outcome.verdict?.flags).toContain("both_disqualified");
  for (const arm of outcome.arms) {
    expect(arm).toMatchObject({ status: "disqualified", stop_reason: "policy:required: pushed" });
    expect(outcome.decisions[arm.arm_id]?.at(-1)).toMatchObject({
      kind: "policy_violation",
      detail: { rule: "required: pushed", severity: "disqualify" },
    });
  }
});

test("a rejudge that comes while the run's own judge is out completes the session when that judge fails", async () => {
  const gate = Promise.withResolvers<void>();
  await using server = await startFakeProvider({
    reply: async () => {
      await gate.promise;
      return { status: 401, body: {} };
    },
  });
  const services = testServices(server.environment);
  const plan = await prepareSession(services, await bundled("pager-last-page"), { judge_model: "openai/judge" });
  const { session_id, done } = await startSession(services, plan);
  while (services.store.get(session_id)?.state !== "judging") await Bun.sleep(5);
  const pointer = (arm_id: string) => ({ session_id, arm_id });
  const request = { arm_a: pointer("ticket-only"), arm_b: pointer("root-cause"), judge_model: "builtin/evidence" };
  const verdict = await rejudge(services, request, never);
  gate.resolve();
  expect(await done).toMatchObject({ state: "completed", failure: null, verdict: { verdict_id: verdict.verdict_id } });
});
