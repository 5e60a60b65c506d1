import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { SessionStore } from "../../src/store/store.ts";
import { anOutcome } from "../outcomes.ts";
import { begin, COMPLETED, keep } from "../stored.ts";
import { temporaryDirectory } from "../temporary.ts";

const open = (path: string) => sqliteStore(path, systemClock, systemEntropy);

const idOf = (n: number, scenario = "sample") => `session-${scenario}-20260102T0304${String(n).padStart(5, "0")}Z`;

const databaseOf = (path: string) => new Database(join(path, "sessions.db"));

function change(path: string, ...statements: readonly string[]): void {
  using database = databaseOf(path);
  for (const statement of statements) database.run(statement);
}

function numberIn(path: string, table: string): number {
  using database = databaseOf(path);
  return (database.query(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;
}

const found = async (store: SessionStore, text: string) =>
  (await store.list({ text, limit: 50 })).map(({ session_id }) => session_id);

/** As a version left it that knew no texts. */
const WITHOUT_TEXTS = [
  "DELETE FROM texts",
  "DELETE FROM session_texts",
  "INSERT INTO texts_from SELECT max(position) + 1 FROM sessions",
];

/** Sessions that differ in their ids alone, beside the first. */
const copies = (last: number) => {
  const anew = (column: string) => `replace(${column}, '0304' || '00001', '0304' || printf('%05d', n))`;
  return `
  WITH RECURSIVE later (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM later WHERE n < ${last})
  INSERT INTO sessions (session_id, scenario, state, copied, listing, searched, result)
  SELECT ${anew("session_id")}, scenario, state, -1, ${anew("listing")}, ${anew("searched")}, result
  FROM sessions, later WHERE position = 1`;
};

/** Sessions that have no text yet get it in turns of so many. */
const TURN = 1_000;

/** Resolves when all have theirs. */
async function texted(path: string): Promise<void> {
  while (numberIn(path, "texts_from") > 0) await new Promise(setImmediate);
}

const TITLES = ["A 2026 plan", "The t9z test", "Sample\ttab", "ÄRGER Status", "Fix: 50% (a_b)"];

async function fill(store: SessionStore): Promise<void> {
  for (const [index, title] of TITLES.entries()) {
    const outcome = anOutcome(idOf(index, index % 2 ? "t-20" : "sample"), {
      state: index === 3 ? "cancelled" : "failed",
    });
    await keep(store, { ...outcome, definition: { ...outcome.definition, title } });
  }
}

/** Every part of the texts in which words are searched, up to a length, and longer ones. */
function wordsOf(path: string): readonly string[] {
  using database = databaseOf(path);
  const words = (database.query("SELECT searched FROM sessions").values() as [string][]).flatMap(([text]) =>
    text.split(/\s+/),
  );
  const parts = [...new Set(words)].flatMap((word) =>
    [1, 2, 3, 8, 21].flatMap((length) =>
      Array.from({ length: Math.max(0, word.length - length + 1) }, (_, at) => word.slice(at, at + length)),
    ),
  );
  return [...new Set([...parts, ...words, "sample-2027", "t-20-20260102t", "nowhere", "0z0", "faile!"])];
}

test("every part of an id, a title, a model or a state is found as in memory, whoever stored the sessions", async () => {
  using directory = temporaryDirectory();
  using memory = memoryStore();
  await fill(memory);
  const compare = async (store: SessionStore) => {
    const words = wordsOf(directory.path);
    expect(words.length).toBeGreaterThan(300);
    for (const text of words) expect([text, await found(store, text)]).toEqual([text, await found(memory, text)]);
    for (const text of ["sample failed", "t-20 plan", "plan 2026", "status cancelled"])
      for (const blind of [undefined, "yes"] as const)
        expect((await store.summarize({ text, ...(blind && { blind }) })).sessions).toBe(
          (await memory.summarize({ text, ...(blind && { blind }) })).sessions,
        );
  };
  {
    using store = open(directory.path);
    await fill(store);
    await compare(store);
  }
  change(directory.path, ...WITHOUT_TEXTS);
  using later = open(directory.path);
  await texted(directory.path);
  await compare(later);
});

test("a word that no text has is looked for in no session", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  await keep(store, anOutcome(idOf(1)));
  change(directory.path, "UPDATE sessions SET searched = searched || ' planted'");
  expect(await found(store, "planted")).toEqual([]);
  expect(await found(store, "sample planted")).toEqual([]);
  // In the time of an id it may stand.
  change(directory.path, "UPDATE sessions SET searched = searched || ' 777'");
  expect(await found(store, "777")).toEqual([idOf(1)]);
});

test("sessions of before are found before and after they have their texts, and others have their turn meanwhile", async () => {
  using directory = temporaryDirectory();
  const sessions = 5 * TURN + 500;
  {
    using store = open(directory.path);
    await keep(store, anOutcome(idOf(1), { state: "cancelled" }));
  }
  change(
    directory.path,
    copies(sessions),
    ...WITHOUT_TEXTS,
    "UPDATE sessions SET searched = 'rare ' || searched WHERE position = 2",
  );
  {
    // It stops where it is when the store is closed.
    using store = open(directory.path);
    expect(await found(store, "rare")).toEqual([idOf(2)]);
  }
  const left = numberIn(directory.path, "session_texts");
  expect([left >= TURN, left < sessions, numberIn(directory.path, "texts_from")]).toEqual([true, true, 1]);
  using store = open(directory.path);
  expect(await found(store, "rare sample")).toEqual([idOf(2)]);
  expect(await found(store, "nowhere")).toEqual([]);
  expect(await found(store, "sample")).toHaveLength(50);
  await texted(directory.path);
  expect([numberIn(directory.path, "texts"), numberIn(directory.path, "session_texts")]).toEqual([2, sessions]);
  expect(await found(store, "rare sample")).toEqual([idOf(2)]);
  expect((await store.summarize({ text: "sample" })).sessions).toBe(sessions);
});

test("among very many sessions with a word a page is read from the newest on, and a rare word is found", async () => {
  using directory = temporaryDirectory();
  const sessions = 6_000;
  {
    using store = open(directory.path);
    await keep(store, anOutcome(idOf(1)));
    await keep(store, anOutcome(idOf(1, "other"), { scenario: "other" }));
  }
  change(directory.path, copies(sessions), ...WITHOUT_TEXTS);
  using store = open(directory.path);
  await texted(directory.path);
  expect((await found(store, "sample")).slice(0, 2)).toEqual([idOf(sessions), idOf(sessions - 1)]);
  expect(await found(store, "other")).toEqual([idOf(1, "other")]);
  expect((await store.list({ text: "sample left" })).length).toBe(sessions + 1);
  expect((await store.list({ text: "sample", sort: "cost", limit: 3 })).length).toBe(3);
});

test("a session is found by the judge of its verdict once it has ended", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  const run = await begin(store, anOutcome(idOf(1), { state: "judging" }));
  expect(await found(store, "openai/late")).toEqual([]);
  const verdict = { ...EXAMPLES.verdict, judge: { ...EXAMPLES.verdict.judge, model: "openai/late" } };
  await store.append(run, [{ type: "judged", verdict }, COMPLETED], "durable");
  expect(await found(store, "openai/late")).toEqual([idOf(1)]);
});

test("what is pruned leaves no text behind", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  await keep(store, anOutcome(idOf(1)));
  await keep(store, anOutcome(idOf(1, "secret"), { scenario: "secret", state: "cancelled" }));
  await store.pruning?.forget([{ kind: "session", id: idOf(1, "secret") }]);
  await store.pruning?.compact();
  using database = databaseOf(directory.path);
  const texts = database.query("SELECT text FROM texts").values().flat();
  expect(texts).toEqual([expect.stringContaining("session-sample-")]);
  expect(numberIn(directory.path, "session_texts")).toBe(1);
});
