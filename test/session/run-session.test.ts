import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import type { Sandbox } from "../../src/arms/sandbox/sandbox.ts";
import type { Case, Judge } from "../../src/comparison/judge/judge.ts";
import { prepareSession } from "../../src/comparison/planning/prepare-session.ts";
import { rejudge } from "../../src/comparison/session/rejudge.ts";
import { startSession } from "../../src/comparison/session/start-session.ts";
import { Failure } from "../../src/domain/failure.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import type { RunEntry } from "../../src/domain/session-entry.ts";
import type { Probe } from "../../src/domain/task.ts";
import { followRun } from "../../src/doors/operation/follow-run.ts";
import { Semaphore } from "../../src/runtime/semaphore.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { readSession } from "../../src/store/read-session.ts";
import { entriesGiven, type SessionStore } from "../../src/store/store.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { bundled, light, runOnce, testServices } from "../harness.ts";
import { until } from "../turns.ts";
import { WINNERS } from "./winners.ts";

const never = new AbortController().signal;

/** The fake provider in the place of both arms' models and, when scored, of a judge who reads the evidence. */
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

test("the session can be read the moment its verdict is announced, and nothing is live after it", async () => {
  const services = testServices();
  const plan = await prepareSession(services, await light("extract-rate-limit"), {});
  const { session_id, done } = await startSession(services, plan);
  for await (const { event } of followRun(services.store, session_id)) {
    if (event.event !== "verdict_ready") continue;
    expect(await readSession(services.store, session_id)).toMatchObject({ state: "completed", verdict: event.verdict });
  }
  expect(services.runs.live(session_id)).toBeUndefined();
  expect(await readSession(services.store, session_id)).toEqual(await done);
});

test("one arm failing for the provider's reasons stops the other and fails the session, with no verdict", async () => {
  const { definition } = await light("pager-last-page");
  await using server = await startFakeProvider({
    reply: ({ system }) =>
      system === definition.arms[0].system_prompt
        ? { status: 401, body: { error: { message: "no such key" } } }
        : { calls: [{ name: "list_files", input: {} }], delay_ms: 5 },
  });
  const { outcome, events } = await runOnce(testServices(server.environment), await light("pager-last-page"), {
    model_override: "openai/fake",
  });
  expect(outcome).toMatchObject({
    state: "failed",
    verdict: null,
    failure: { stage: "running", class: "infra", code: "provider_failed" },
  });
  expect(outcome.failure?.message).toStartWith('arm "ticket-only": openai answered 401');
  expect(outcome.arms.map(({ status }) => status)).toEqual(["failed", "cancelled"]);
  expect(events.at(-1)).toMatchObject({ event: "session_failed", stage: "running", code: "provider_failed" });
});

test("a judge that cannot be reached costs no arm: a rejudge completes the session", async () => {
  await using server = await startFakeProvider({ reply: { status: 401, body: { error: { message: "no" } } } });
  const services = testServices(server.environment);
  const { outcome } = await runOnce(services, await light("pager-last-page"), { judge_model: "openai/judge" });
  expect(outcome).toMatchObject({ state: "failed", verdict: null, failure: { stage: "judging" } });
  expect(outcome.arms.map(({ status, probe }) => [status, probe?.total])).toEqual([
    ["finished", 1],
    ["finished", 1],
  ]);
  const { session_id } = outcome;
  const [arm_a, arm_b] = outcome.arms.map(({ arm_id }) => ({ session_id, arm_id }));
  if (!arm_a || !arm_b) throw new Error("a session has two arms");
  const verdict = await rejudge(services, { arm_a, arm_b, judge_model: "builtin/evidence" }, never);
  expect(verdict).toMatchObject({ kind: "rejudge", winner: "root-cause" });
  expect(await readSession(services.store, session_id)).toMatchObject({
    state: "completed",
    failure: null,
    verdict: { verdict_id: verdict.verdict_id },
    verdicts: [{ verdict_id: verdict.verdict_id }],
  });
});

test("a judge that answers nonsense gives a stored verdict that is invalid, and gates stand all the same", async () => {
  await using server = await startFakeProvider({ reply: { text: "Both are great!" } });
  const services = testServices(server.environment);
  const gated = await runOnce(services, await light("pager-last-page"), { judge_model: "openai/judge" });
  expect(gated.outcome.verdict).toMatchObject({ outcome: "winner", decided_by: "probe" });
  expect(gated.outcome.verdict?.flags).toContain("judge_invalid");
  const open = await runOnce(services, await light("extract-rate-limit"), { judge_model: "openai/judge" });
  expect(open.outcome).toMatchObject({ state: "completed", verdict: { outcome: "invalid", winner: null } });
});

test.each(["preparing", "running", "probing", "judging"] as const)(
  "a run that is cancelled while %s ends as cancelled",
  async (stage) => {
    await using server = await startFakeProvider({ reply: { fault: "hang" } });
    const services = testServices(server.environment);
    const loaded = await light("pager-last-page");
    const setup = stage === "preparing" ? [{ run: "sleep 60", timeout_s: 60 }] : [];
    const probe = stage === "probing" ? slowProbe(loaded.definition.task.probe) : loaded.definition.task.probe;
    const definition = { ...loaded.definition, task: { ...loaded.definition.task, setup, probe } };
    const options = {
      ...(stage === "judging" ? { judge_model: "openai/judge" } : {}),
      ...(stage === "running" ? { model_override: "openai/slow" } : {}),
    };
    const plan = await prepareSession(services, { ...loaded, definition }, options);
    const { session_id, done } = await startSession(services, plan);
    await until(async () => (await readSession(services.store, session_id))?.state === stage);
    services.runs.live(session_id)?.cancel(new Failure("cancelled", "The run was cancelled."));
    const outcome = await done;
    expect(outcome).toMatchObject({ state: "cancelled", verdict: null, failure: { stage, code: "cancelled" } });
    expect(services.runs.live(session_id)).toBeUndefined();
  },
);

const slowProbe = (probe: Probe | null): Probe | null =>
  probe && { ...probe, checks: probe.checks.map((check) => ({ ...check, run: "sleep 60" })) };

test("a failing setup step is the scenario's fault, never an arm's", async () => {
  const loaded = await light("pager-last-page");
  const task = { ...loaded.definition.task, setup: [{ run: "echo no network; exit 3", timeout_s: 10 }] };
  const { outcome } = await runOnce(testServices(), { ...loaded, definition: { ...loaded.definition, task } });
  expect(outcome).toMatchObject({ state: "failed", failure: { stage: "preparing", code: "setup_failed" } });
  expect(outcome.failure?.message).toContain("no network");
  expect(outcome.arms.map(({ turns }) => turns)).toEqual([0, 0]);
});

const FULL = new Failure("storage_full", "no space left");

/** A store in memory that refuses the entries that `refuses` names; `written` counts those that it took. */
function refusing(refuses: (entries: readonly RunEntry[]) => boolean) {
  const store = memoryStore();
  const written: RunEntry[] = [];
  const failing: SessionStore = {
    ...store,
    async append(run, given, safety) {
      const entries = entriesGiven(given, () => []);
      if (refuses(entries)) throw FULL;
      const outcome = await store.append(run, entries, safety);
      written.push(...entries);
      return outcome;
    },
  };
  return { store: failing, written };
}

test("a verdict that cannot be stored is kept in the outcome: it has been paid for", async () => {
  const { store } = refusing((entries) =>
    entries.some((entry) => entry.type === "ended" && entry.state === "completed"),
  );
  const { outcome, events } = await runOnce(testServices({}, { store }), await light("extract-rate-limit"));
  expect(outcome).toMatchObject({
    state: "failed",
    verdict: { winner: "move-only" },
    failure: { stage: "saving", code: "storage_full" },
  });
  expect(events.at(-1)).toMatchObject({ event: "session_failed", stage: "saving" });
});

test("a session that cannot be stored is not started, and gives back its place", async () => {
  const notices: string[] = [];
  const services = testServices(
    {},
    {
      store: { ...memoryStore(), create: () => Promise.reject(FULL) },
      slots: new Semaphore(1, 0),
      notice: (line) => void notices.push(line),
    },
  );
  const started = runOnce(services, await light("extract-rate-limit"));
  await expect(started).rejects.toBe(FULL);
  expect(services.runs.all()).toEqual([]);
  expect(notices.filter((line) => !line.startsWith("no sandbox"))).toEqual([]);
  await services.slots.acquire(never);
});

test("a session that cannot be stored leaves the line that it stood in", async () => {
  const slots = new Semaphore(1, 1);
  using _held = await slots.acquire(never);
  const services = testServices({}, { slots, store: { ...memoryStore(), create: () => Promise.reject(FULL) } });
  await expect(runOnce(services, await light("extract-rate-limit"))).rejects.toBe(FULL);
  expect(slots.waiting).toBe(0);
});

test("a stage that cannot be stored does not begin", async () => {
  const { store } = refusing((entries) => entries.some((entry) => entry.type === "stage" && entry.stage === "judging"));
  const { outcome, events } = await runOnce(testServices({}, { store }), await light("extract-rate-limit"));
  expect(outcome).toMatchObject({
    state: "failed",
    verdict: null,
    failure: { stage: "judging", code: "storage_full" },
  });
  expect(events.at(-1)?.event).toBe("session_failed");
});

test("a decision that was lost is not announced, and no arm makes another", async () => {
  let decisions = 0;
  // Only the first is lost: there is space again at once.
  const { store, written } = refusing(([entry]) => entry?.type === "decision" && ++decisions === 1);
  const { outcome, events } = await runOnce(testServices({}, { store }), await light("extract-rate-limit"));
  expect(outcome).toMatchObject({ state: "failed", failure: { stage: "running", code: "storage_full" } });
  const kept = written.filter(({ type }) => type === "decision");
  expect(events.filter(({ event }) => event === "decision")).toHaveLength(kept.length);
  expect(decisions).toBeLessThan(4);
});

/** A store in memory whose disk answers when the test lets it. */
function slowDisk() {
  const store = memoryStore();
  const [asked, disk] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const wait = async () => {
    asked.resolve();
    await disk.promise;
  };
  const slow: SessionStore = {
    ...store,
    async append(run, entries, safety) {
      if (safety === "durable") await wait();
      return await store.append(run, entries, safety);
    },
    async add(session_ids, entry) {
      await wait();
      await store.add(session_ids, entry);
    },
  };
  return { store, slow, asked: asked.promise, answer: disk.resolve };
}

test("a rejudge is answered when its verdict is on the disk", async () => {
  const { store, slow, asked, answer } = slowDisk();
  const services = testServices({}, { store });
  const { outcome } = await runOnce(services, await light("extract-rate-limit"));
  const [arm_a, arm_b] = outcome.arms.map(({ arm_id }) => ({ session_id: outcome.session_id, arm_id }));
  if (!arm_a || !arm_b) throw new Error("no arms");
  let answered = false;
  const judging = rejudge({ ...services, store: slow }, { arm_a, arm_b }, never).then(() => {
    answered = true;
  });
  await asked;
  await new Promise((resolve) => setImmediate(resolve));
  expect(answered).toBe(false);
  answer();
  await judging;
  expect(answered).toBe(true);
});

test("the verdict is announced when it is on the disk, not before", async () => {
  const { slow, asked, answer } = slowDisk();
  const services = testServices({}, { store: slow });
  const plan = await prepareSession(services, await light("extract-rate-limit"), {});
  const { session_id, done } = await startSession(services, plan);
  const kinds: string[] = [];
  const reading = (async () => {
    for await (const { event } of followRun(services.store, session_id)) kinds.push(event.event);
  })();
  await asked;
  // A turn of the event loop: whatever is announced already has come by then.
  await new Promise((resolve) => setImmediate(resolve));
  expect(kinds).toContain("arm_finished");
  expect(kinds).not.toContain("verdict_ready");
  answer();
  await Promise.all([done, reading]);
  expect(kinds.at(-1)).toBe("verdict_ready");
});

test("what the session hands to its judge is what its log says of the arms", async () => {
  const services = testServices();
  const plan = await prepareSession(services, await light("pager-last-page"), {});
  const cases: Case[] = [];
  const judge: Judge = (kase, signal) => {
    cases.push(kase);
    return plan.chosen.judge(kase, signal);
  };
  const { session_id, done } = await startSession(services, { ...plan, chosen: { ...plan.chosen, judge } });
  const { arms, decisions } = await done;
  const seen = cases.flatMap(({ a, b }) => [a, b]);
  expect(seen.map(({ summary }) => summary)).toEqual(arms);
  expect(Object.fromEntries(seen.map((arm) => [arm.pointer.arm_id, arm.decisions]))).toEqual(decisions);
  expect(seen.map(({ pointer }) => pointer.session_id)).toEqual([session_id, session_id]);
});

test("the arms' workspaces are removed while the judge works", async () => {
  const services = testServices();
  const plan = await prepareSession(services, await light("pager-last-page"), {});
  const workspaces = new Set<string>();
  const { kind, owner } = plan.sandbox;
  const sandbox: Sandbox = {
    kind,
    owner,
    start: (program, signal) => plan.sandbox.start(program, signal),
    run: (command, signal) => {
      workspaces.add(command.directory);
      return plan.sandbox.run(command, signal);
    },
  };
  const standing = () => [...workspaces].filter((path) => existsSync(path)).length;
  const seen: number[] = [];
  const judge: Judge = async (kase, signal) => {
    seen.push(workspaces.size);
    while (standing() > 0) await new Promise(setImmediate);
    return await plan.chosen.judge(kase, signal);
  };
  const { done } = await startSession(services, { ...plan, sandbox, chosen: { ...plan.chosen, judge } });
  expect((await done).state).toBe("completed");
  expect(seen[0]).toBeGreaterThan(1);
});

test("a rule that is found broken only afterwards is in the log, and puts the arm out", async () => {
  const loaded = await light("extract-rate-limit");
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
  const plan = await prepareSession(services, await light("pager-last-page"), { judge_model: "openai/judge" });
  const { session_id, done } = await startSession(services, plan);
  await until(async () => (await readSession(services.store, session_id))?.state === "judging");
  const pointer = (arm_id: string) => ({ session_id, arm_id });
  const request = { arm_a: pointer("ticket-only"), arm_b: pointer("root-cause"), judge_model: "builtin/evidence" };
  const verdict = await rejudge(services, request, never);
  gate.resolve();
  expect(await done).toMatchObject({ state: "completed", failure: null, verdict: { verdict_id: verdict.verdict_id } });
});
