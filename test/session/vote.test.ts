import { describe, expect, test } from "bun:test";
import type { SessionServices } from "../../src/comparison/planning/services.ts";
import { rejudge } from "../../src/comparison/session/rejudge.ts";
import { vote } from "../../src/comparison/session/vote.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { MAX_VOTES, type VoteRequest } from "../../src/domain/vote.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { readSession } from "../../src/store/read-session.ts";
import { testServices } from "../harness.ts";
import { CRITERIA, change } from "../judge/build-case.ts";
import { scoringJudge } from "../judge/mock-judge.ts";
import { anOutcome } from "../outcomes.ts";
import { STORES } from "../store/stores.ts";
import { keep } from "../stored.ts";
import { turnsDuring } from "../turns.ts";

const never = new AbortController().signal;
const FOR_A: VoteRequest = { order: "ba", choice: "a", blind: true };

/** Both arms have left something. */
async function finished(services: SessionServices, n = 1): Promise<SessionOutcome> {
  const session_id = `session-sample-20260102T03040500${n}Z`;
  const {
    arms: [left, right],
    definition: plain,
  } = anOutcome(session_id);
  const definition = { ...plain, rubric: { ...plain.rubric, criteria: CRITERIA } };
  const arms: SessionOutcome["arms"] = [
    { ...left, status: "finished", changes: change("return first;") },
    { ...right, status: "finished", changes: change("return second;") },
  ];
  await keep(services.store, anOutcome(session_id, { state: "completed", arms, definition }));
  return await read(services, session_id);
}

async function read({ store }: SessionServices, session_id: string): Promise<SessionOutcome> {
  const session = await readSession(store, session_id);
  if (!session) throw new Error(`there is no ${session_id}`);
  return session;
}

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => "taken",
    ({ code, message }) => `${code}: ${message}`,
  );

describe.each(STORES)("with the %s store", (_name, open) => {
  test("a vote is kept with its session, and changes nothing else of it", async () => {
    await using opened = await open();
    const services = testServices({}, { store: opened.store });
    const outcome = await finished(services);
    const [before] = await services.store.list();
    const first = await vote(services, outcome.session_id, { ...FOR_A, reason: " It is shorter. ", voter: "Ada" });
    const second = await vote(services, outcome.session_id, { ...FOR_A, choice: "tie", blind: false });
    const [left, right] = outcome.arms.map(({ arm_id }) => ({ session_id: outcome.session_id, arm_id }));
    expect(first).toMatchObject({ ...FOR_A, arm_a: left, arm_b: right, reason: "It is shorter.", voter: "Ada" });
    expect(second).toMatchObject({ choice: "tie", blind: false, reason: null, voter: null });
    expect(second.vote_id).not.toBe(first.vote_id);
    expect(await read(services, outcome.session_id)).toEqual({ ...outcome, votes: [first, second] });
    expect(await services.store.list()).toEqual(before ? [before] : []);
  });
});

test("a vote on a verdict across two sessions is kept with both", async () => {
  const services = testServices();
  const [one, other] = [await finished(services, 1), await finished(services, 2)];
  const arm_a = { session_id: one.session_id, arm_id: one.arms[0].arm_id };
  const arm_b = { session_id: other.session_id, arm_id: other.arms[1].arm_id };
  const { verdict_id } = await rejudge(services, { arm_a, arm_b, judge_model: "builtin/evidence" }, never);
  const taken = await vote(services, other.session_id, { ...FOR_A, verdict_id });
  expect(taken).toMatchObject({ arm_a, arm_b });
  for (const { session_id } of [one, other]) expect((await read(services, session_id)).votes).toEqual([taken]);
});

test("a judge reads nothing of the votes, and judges as if there were none", async () => {
  const judge = scoringJudge((slot, ids) =>
    Object.fromEntries(ids.map((id) => [id, slot.evidence.includes("first") ? 4 : 1])),
  );
  const services = testServices({}, { resolveModel: () => judge });
  const { session_id } = await finished(services);
  await vote(services, session_id, { ...FOR_A, choice: "b", reason: "VOTED-FOR-THE-SECOND", voter: "VOTER-ADA" });
  const [arm_a, arm_b] = [
    { session_id, arm_id: "left" },
    { session_id, arm_id: "right" },
  ];
  const verdict = await rejudge(services, { arm_a, arm_b, judge_model: "openai/judge" }, never);
  expect(verdict).toMatchObject({ outcome: "winner", winner_side: "a" });
  expect(judge.requests.length).toBeGreaterThan(0);
  expect(JSON.stringify(judge.requests)).not.toMatch(/VOTED-FOR|VOTER-ADA|vote-/);
});

test("keys in a reason are taken out", async () => {
  const services = testServices({ ANTHROPIC_API_KEY: "sk-very-secret-key-0123456789" });
  const { session_id } = await finished(services);
  const { reason } = await vote(services, session_id, { ...FOR_A, reason: "see sk-very-secret-key-0123456789" });
  expect(reason).not.toContain("secret");
});

test("what has left nothing, is unknown, or holds enough votes takes none", async () => {
  const services = testServices();
  const { session_id } = await finished(services);
  const running = "session-sample-20260102T030405002Z";
  await keep(services.store, anOutcome(running, { state: "running" }));
  expect(await refusal(vote(services, running, FOR_A))).toStartWith("session_not_finished: ");
  expect(await refusal(vote(services, `${running}0`, FOR_A))).toStartWith("unknown_session: ");
  expect(await refusal(vote(services, session_id, { ...FOR_A, verdict_id: "no" }))).toBe(
    `invalid_request: ${session_id} has no verdict "no"`,
  );
  for (let n = 0; n < MAX_VOTES; n += 1) await services.store.add([session_id], { type: "voted", vote: EXAMPLES.vote });
  expect(await refusal(vote(services, session_id, FOR_A))).toBe(
    `invalid_request: ${session_id} holds ${MAX_VOTES} votes; it takes no more`,
  );
});

test("a session holds no more votes than it may, however many come at once", async () => {
  const services = testServices();
  const { session_id } = await finished(services);
  const first = await vote(services, session_id, FOR_A);
  for (let n = 2; n < MAX_VOTES; n += 1) await services.store.add([session_id], { type: "voted", vote: first });
  const answers = await Promise.all(Array.from({ length: 5 }, () => refusal(vote(services, session_id, FOR_A))));
  expect(answers.filter((answer) => answer === "taken")).toHaveLength(1);
  expect((await read(services, session_id)).votes).toHaveLength(MAX_VOTES);
});

test("votes are taken in turns of their own, and too many at once are told to come again", async () => {
  const services = testServices();
  const { session_id } = await finished(services);
  const all = Array.from({ length: 202 }, () => refusal(vote(services, session_id, FOR_A)));
  expect(await turnsDuring(() => Promise.all(all))).toBeGreaterThanOrEqual(201);
  expect((await Promise.all(all)).filter((answer) => answer !== "taken")).toEqual([
    "overloaded: 200 votes wait already; try again",
  ]);
});

test("of a session that is voted on again only the votes since the last one are read", async () => {
  const services = testServices();
  const { session_id } = await finished(services);
  const given: number[] = [];
  const { store } = services;
  const read: typeof store.read = async (...asked) => {
    const entries = await store.read(...asked);
    given.push(entries.length);
    return entries;
  };
  const counting = new Proxy(store, {
    get: (_, name) => {
      const value = name === "read" ? read : Reflect.get(store, name);
      return typeof value === "function" ? value.bind(store) : value;
    },
  });
  for (let n = 0; n < 5; n += 1) await vote({ ...services, store: counting }, session_id, FOR_A);
  expect(given.slice(1)).toEqual([1, 1, 1, 1]);
  expect(given[0]).toBeGreaterThan(0);
  await services.store.add([session_id], { type: "cancel_asked", at: "2026-01-02T03:04:05.678Z" });
  await vote({ ...services, store: counting }, session_id, FOR_A);
  expect(given.at(-1)).toBeGreaterThan(2);
});
