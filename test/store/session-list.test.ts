import { describe, expect, test } from "bun:test";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { SESSION_SORTS, type SessionListRequest } from "../../src/domain/session-list.ts";
import type { Verdict } from "../../src/domain/verdict.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { anOutcome } from "../outcomes.ts";
import { keep } from "../stored.ts";
import { STORES } from "./stores.ts";

const idOf = (n: number) => `session-sample-20260102T0304${String(n).padStart(5, "0")}Z`;
const numberOf = (session_id: string) => Number(session_id.slice(-6, -1));

interface Made {
  readonly n: number;
  readonly scenario?: string;
  readonly models?: readonly [string, string];
  readonly found?: Partial<Verdict>;
  readonly later?: readonly Partial<Verdict>[];
  readonly cost_usd?: number;
  readonly wall_ms?: number;
  readonly turns?: readonly [number, number];
  readonly title?: string;
  readonly state?: SessionOutcome["state"];
  readonly trial?: SessionOutcome["trial"];
  readonly user?: string;
}

function made({
  n,
  scenario = "sample",
  models,
  found,
  later = [],
  cost_usd,
  wall_ms,
  turns,
  title,
  state,
  trial,
  user,
}: Made): SessionOutcome {
  const outcome = anOutcome(idOf(n), { scenario, state: state ?? (found ? "completed" : "cancelled") });
  const [a, b] = outcome.arms;
  const at = (arm_id: string) => ({ session_id: idOf(n), arm_id });
  const verdictOf = (changes: Partial<Verdict>, index: number): Verdict => ({
    ...EXAMPLES.verdict,
    ...{ verdict_id: `v${n}-${index}`, arm_a: at(a.arm_id), arm_b: at(b.arm_id) },
    ...changes,
  });
  return {
    ...outcome,
    ...(trial && { trial }),
    ...(user && { user }),
    definition: { ...outcome.definition, title: title ?? outcome.definition.title },
    arms: [
      {
        ...a,
        model: models?.[0] ?? "scripted/a",
        wall_ms: 1,
        ...(turns && { turns: turns[0], status: "finished" as const }),
      },
      {
        ...b,
        model: models?.[1] ?? "scripted/b",
        wall_ms: 1,
        ...(turns && { turns: turns[1], status: "finished" as const }),
      },
    ],
    verdict: found ? verdictOf({ kind: "run", ...found }, 0) : null,
    verdicts: later.map((changes, index) => verdictOf({ kind: "rejudge", ...changes }, index + 1)),
    totals: { tokens_in: 1, tokens_out: 1, cost_usd: cost_usd ?? null, wall_ms: wall_ms ?? null },
  };
}

const WON = { outcome: "winner", winner: "left", winner_side: "a", score_a: 0.9, score_b: 0.1 } as const;
const LOST = { outcome: "winner", winner: "right", winner_side: "b", score_a: 0.5, score_b: 0.6 } as const;
const TIE = { outcome: "tie", winner: null, winner_side: null, score_a: 0.5, score_b: 0.5 } as const;

const NOTHING = { sessions: 0, results: [], conflicts: 0, cost_usd: null, cost_unknown: 0, wall_ms: 0 };

/** Oldest first. */
const SESSIONS: readonly Made[] = [
  { n: 1, found: WON, title: "Fix the PAGER" },
  { n: 2, scenario: "other", user: "Ann '); --", found: TIE, models: ["openai/x", "openai/x"] },
  { n: 3, found: LOST, later: [WON], models: ["openai/x", "scripted/b"] },
  { n: 4, trial: { series_id: "series-20260102T030400000Z-00000000", trial: 1, round: 1 } },
  { n: 5, found: { ...TIE, judge: { ...EXAMPLES.verdict.judge, model: "a/judge%_" } } },
];

describe.each(STORES)("%s store", (_name, open) => {
  async function filled() {
    const opened = await open();
    for (const session of SESSIONS) await keep(opened.store, made(session));
    const found = async (query: SessionListRequest) =>
      (await opened.store.list(query)).map(({ session_id }) => numberOf(session_id));
    return { store: opened.store, found, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
  }

  test("sessions are found by outcome, model, judge, words, and by verdicts that contradict each other", async () => {
    await using sessions = await filled();
    const { found } = sessions;
    expect(await found({ outcome: "tie" })).toEqual([5, 2]);
    expect(await found({ model: "openai/x" })).toEqual([3, 2]);
    expect(await found({ model: "openai/" })).toEqual([]);
    expect(await found({ judge: "a/judge%_" })).toEqual([5]);
    expect(await found({ user: "Ann '); --" })).toEqual([2]);
    expect(await found({ user: "Ann", scenario: "other" })).toEqual([]);
    expect(await found({ conflict: "only" })).toEqual([3]);
    expect(await found({ trials: "none" })).toEqual([5, 3, 2, 1]);
    expect(await found({ scenario: "other", model: "openai/x" })).toEqual([2]);
    expect(await found({ text: "pager FIX" })).toEqual([1]);
    expect(await found({ text: " openai/x  winner " })).toEqual([3]);
    expect(await found({ text: "%" })).toEqual([5]);
    expect(await found({ text: "status" })).toEqual([]);
    expect(await found({ text: "cancelled" })).toEqual([4]);
  });

  test("what a blind reader looks for finds no result", async () => {
    await using sessions = await filled();
    const { found } = sessions;
    const blind = "yes";
    for (const text of ["winner", "tie", "WIN", "i nn er"]) expect(await found({ text, blind })).toEqual([]);
    expect(await found({ text: "left", blind })).toEqual(await found({ text: "left" }));
    expect(await found({ text: "t", blind })).toEqual([5, 4, 3, 2, 1]);
    expect(await found({ text: "cancelled", blind })).toEqual([4]);
    expect((await sessions.store.summarize({ text: "tie", blind })).sessions).toBe(0);
    expect((await sessions.store.summarize({ text: "tie" })).sessions).toBe(2);
  });

  test("rows say what a reader compares them by", async () => {
    await using sessions = await filled();
    const [row] = await sessions.store.list({ conflict: "only" });
    expect(row).toMatchObject({
      title: "Sample",
      verdicts: 2,
      conflict: true,
      flags: EXAMPLES.verdict.flags,
      arms: [
        { arm_id: "left", score: 0.5, checks: null },
        { arm_id: "right", score: 0.6, checks: null },
      ],
    });
  });

  test("they come in the order of every column: what is unknown last, equals newest first", async () => {
    await using opened = await open();
    const { store } = opened;
    const rows: readonly Made[] = [
      { n: 1, found: WON, cost_usd: 2, wall_ms: 5 },
      { n: 2, scenario: "other" },
      { n: 3, found: LOST, cost_usd: 0, wall_ms: 5 },
      { n: 4, found: TIE, cost_usd: 7, wall_ms: 50 },
    ];
    // Still running, so that the totals stay as they are given.
    for (const row of rows) await keep(store, made({ ...row, state: "judging" }));
    const orders = SESSION_SORTS.flatMap((sort) => (["asc", "desc"] as const).map((order) => ({ sort, order })));
    const found = await Promise.all(
      orders.map(async (by) => [
        `${by.sort} ${by.order}`,
        (await store.list(by)).map((row) => numberOf(row.session_id)),
      ]),
    );
    expect(Object.fromEntries(found)).toEqual({
      "created asc": [1, 2, 3, 4],
      "created desc": [4, 3, 2, 1],
      "scenario asc": [2, 4, 3, 1],
      "scenario desc": [4, 3, 1, 2],
      "result asc": [2, 4, 3, 1],
      "result desc": [3, 1, 4, 2],
      "gap asc": [4, 3, 1, 2],
      "gap desc": [1, 3, 4, 2],
      "cost asc": [3, 1, 4, 2],
      "cost desc": [4, 1, 3, 2],
      // Known when a session has ended.
      "turns asc": [4, 3, 2, 1],
      "turns desc": [4, 3, 2, 1],
      "duration asc": [3, 1, 4, 2],
      "duration desc": [4, 3, 1, 2],
    });
    const page = async (offset: number) =>
      (await store.list({ sort: "cost", offset, limit: 2 })).map((row) => numberOf(row.session_id));
    expect([await page(0), await page(2), await page(4)]).toEqual([[4, 1], [3, 2], []]);
  });

  test("the turns of a session are those of both arms, known from its end on, and lists come in their order", async () => {
    await using opened = await open();
    const { store } = opened;
    await keep(store, made({ n: 1, found: WON, turns: [2, 30] }));
    await keep(store, made({ n: 2, found: WON, turns: [40, 1], state: "judging" }));
    await keep(store, made({ n: 3, found: TIE, turns: [0, 9] }));
    const turnsBy = async (order: "asc" | "desc") =>
      (await store.list({ sort: "turns", order })).map(({ session_id, turns }) => [numberOf(session_id), turns]);
    expect(await turnsBy("desc")).toEqual([
      [1, 32],
      [3, 9],
      [2, null],
    ]);
    expect(await turnsBy("asc")).toEqual([
      [3, 9],
      [1, 32],
      [2, null],
    ]);
  });

  test("a summary counts what came after the last session from before a moment", async () => {
    await using opened = await open();
    const { store } = opened;
    const ms = [1, 2, 90, 3, 91, 92];
    for (const n of ms) await keep(store, made({ n, state: "judging", cost_usd: n }));
    const sums = async (at: string) => {
      const { sessions, cost_usd } = await store.summarize({ since: `2026-01-02T03:04:${at}Z` });
      return [sessions, cost_usd];
    };
    expect(await sums("00.000")).toEqual([6, 279]);
    expect(await sums("00.002")).toEqual([5, 278]);
    expect(await sums("00.090")).toEqual([2, 183]);
    expect(await sums("00.092")).toEqual([1, 92]);
    expect(await sums("00.093")).toEqual([0, null]);
    const chosen = { since: "2026-01-02T03:04:00.091Z", state: "cancelled", names: "all" } as const;
    expect(await store.summarize(chosen)).toMatchObject({
      sessions: 0,
      known: { scenarios: [{ name: "sample", sessions: 6 }] },
    });
  });

  test("an order that is none lists the newest first, and reaches no statement", async () => {
    await using opened = await open();
    const { store } = opened;
    for (const session of SESSIONS) await keep(store, made(session));
    const order = { sort: "cost; DROP TABLE sessions --", order: "desc, 1/0" } as unknown as SessionListRequest;
    expect(await store.list(order)).toEqual(await store.list());
  });

  test("a summary counts what matches, and names what there is", async () => {
    await using opened = await open();
    const { store } = opened;
    expect(await store.summarize({})).toEqual(NOTHING);
    for (const session of SESSIONS)
      await keep(store, made({ ...session, state: "judging", cost_usd: session.n, wall_ms: 10 }));
    await keep(store, made({ n: 6, found: WON, state: "judging" }));
    expect(await store.summarize({ text: "winner" })).toMatchObject({
      sessions: 3,
      results: [{ name: "winner", sessions: 3 }],
      conflicts: 1,
      cost_usd: 4,
      cost_unknown: 1,
      wall_ms: 20,
    });
    expect((await store.summarize({ outcome: "invalid", names: "all" })).known).toEqual({
      scenarios: [
        { name: "sample", sessions: 5 },
        { name: "other", sessions: 1 },
      ],
      models: [
        { name: "scripted/b", sessions: 5 },
        { name: "scripted/a", sessions: 4 },
        { name: "openai/x", sessions: 2 },
      ],
      judges: [
        { name: EXAMPLES.verdict.judge.model, sessions: 4 },
        { name: "a/judge%_", sessions: 1 },
      ],
      users: [{ name: "Ann '); --", sessions: 1 }],
    });
  });
});
