import { expect, test } from "bun:test";
import { Semaphore } from "../src/runtime/semaphore.ts";

const never = new AbortController().signal;

/** Whether somebody who comes now is let in at once. Gives the place back. */
async function hasRoom(semaphore: Semaphore): Promise<boolean> {
  const late = new AbortController();
  const asked = semaphore.acquire(late.signal);
  // `acquire` takes one turn of the microtask queue when there is room, and a place handed over takes a few.
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  late.abort("no room");
  return await asked.then(
    (place) => {
      place[Symbol.dispose]();
      return true;
    },
    () => false,
  );
}

test("no more hold a place than there are, and the others follow in the order they came", async () => {
  const semaphore = new Semaphore(2);
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const started: number[] = [];
  const works = ends.map(async ({ promise }, index) => {
    using _place = await semaphore.acquire(never);
    started.push(index);
    await promise;
  });
  await hasRoom(semaphore);
  expect(started).toEqual([0, 1]);
  ends[1]?.resolve();
  await works[1];
  await hasRoom(semaphore);
  expect(started).toEqual([0, 1, 2]);
  for (const { resolve } of ends) resolve();
  await Promise.all(works);
  expect(started).toEqual([0, 1, 2, 3, 4]);
});

test("names in line have a turn each, and what has no name is one name", async () => {
  const semaphore = new Semaphore(2);
  const started: string[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const ask = async (name: string, owner: string) => {
    using _place = await semaphore.acquire(never, owner);
    started.push(name);
    const end = Promise.withResolvers<void>();
    ends.push(end);
    await end.promise;
  };
  const works = ["ann1", "ann2", "ann3", "ann4", "ann5"].map((name) => ask(name, "ann"));
  works.push(ask("bob1", "bob"), ask("bob2", "bob"), ask("one", ""), ask("two", ""));
  for (let n = 0; n < works.length; n += 1) {
    await hasRoom(semaphore);
    ends[n]?.resolve();
  }
  await Promise.all(works);
  expect(started).toEqual(["ann1", "ann2", "ann3", "bob1", "one", "ann4", "bob2", "two", "ann5"]);
});

test("when all have left, every place can be held again, and no more", async () => {
  const semaphore = new Semaphore(3);
  const work = async () => {
    using _place = await semaphore.acquire(never);
    await Promise.resolve();
  };
  await Promise.all(Array.from({ length: 10 }, work));
  const held = [await semaphore.acquire(never), await semaphore.acquire(never)];
  expect(await hasRoom(semaphore)).toBe(true);
  held.push(await semaphore.acquire(never));
  expect(await hasRoom(semaphore)).toBe(false);
  for (const place of held) place[Symbol.dispose]();
});

test("a place that is handed over is never free: who comes in between waits", async () => {
  const semaphore = new Semaphore(1);
  const first = await semaphore.acquire(never);
  const second = semaphore.acquire(never);
  first[Symbol.dispose]();
  expect(await hasRoom(semaphore)).toBe(false);
  (await second)[Symbol.dispose]();
  expect(await hasRoom(semaphore)).toBe(true);
});

test("a place that is given back twice is one place", async () => {
  const semaphore = new Semaphore(1);
  const first = await semaphore.acquire(never);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  using _second = await semaphore.acquire(never);
  expect(await hasRoom(semaphore)).toBe(false);
});

test("a place comes back although the work in it failed", async () => {
  const semaphore = new Semaphore(1);
  const failing = async () => {
    using _place = await semaphore.acquire(never);
    throw new Error("no");
  };
  expect(await failing().catch((error: Error) => error.message)).toBe("no");
  expect(await hasRoom(semaphore)).toBe(true);
});

test("who gives up stops waiting with the reason, and the place goes to the next", async () => {
  const semaphore = new Semaphore(1);
  const first = await semaphore.acquire(never);
  const impatient = new AbortController();
  const given = semaphore.acquire(impatient.signal).catch((reason: unknown) => reason);
  const next = semaphore.acquire(never);
  expect(semaphore.waiting).toBe(2);
  impatient.abort("enough");
  expect([await given, semaphore.waiting]).toEqual(["enough", 1]);
  first[Symbol.dispose]();
  (await next)[Symbol.dispose]();
  expect(await hasRoom(semaphore)).toBe(true);
});

test("a signal that fires after the place was handed over changes nothing", async () => {
  const semaphore = new Semaphore(1);
  const first = await semaphore.acquire(never);
  const late = new AbortController();
  const second = semaphore.acquire(late.signal);
  first[Symbol.dispose]();
  late.abort("too late");
  using _place = await second;
  expect(await hasRoom(semaphore)).toBe(false);
});

test("a signal that fired before takes no place", async () => {
  const semaphore = new Semaphore(1);
  expect(await semaphore.acquire(AbortSignal.abort("before")).catch((reason: unknown) => reason)).toBe("before");
  expect(await hasRoom(semaphore)).toBe(true);
});

test("it is full when every place is held and as many wait as may", async () => {
  const semaphore = new Semaphore(1, 1);
  const states = [semaphore.isFull];
  const first = await semaphore.acquire(never);
  states.push(semaphore.isFull);
  const second = semaphore.acquire(never);
  states.push(semaphore.isFull);
  first[Symbol.dispose]();
  states.push(semaphore.isFull);
  (await second)[Symbol.dispose]();
  expect([...states, semaphore.isFull]).toEqual([false, false, true, false, false]);
});

test("who holds a place leaves to others as many as are kept, however many it asks for", async () => {
  const semaphore = new Semaphore(4, undefined, 2);
  const [greedy, modest] = [{}, {}];
  const asked = Array.from({ length: 10 }, () => semaphore.acquire(never, greedy));
  const held = await Promise.all(asked.slice(0, 3));
  expect(semaphore.waiting).toBe(7);
  const own = await semaphore.acquire(never, modest);
  expect(await hasRoom(semaphore)).toBe(false);
  own[Symbol.dispose]();
  for (const place of held) place[Symbol.dispose]();
  for (const place of asked) (await place)[Symbol.dispose]();
  expect(semaphore.waiting).toBe(0);
  expect(await hasRoom(semaphore)).toBe(true);
});

test("where every place is kept, an owner holds one at a time, and its others follow", async () => {
  const semaphore = new Semaphore(2, undefined, 8);
  const owner = {};
  const first = await semaphore.acquire(never, owner);
  const second = semaphore.acquire(never, owner);
  expect([semaphore.waiting, await hasRoom(semaphore)]).toEqual([1, true]);
  first[Symbol.dispose]();
  using _place = await second;
  expect(semaphore.waiting).toBe(0);
});

test("owners who wait are asked in turn", async () => {
  const semaphore = new Semaphore(1);
  const entered: string[] = [];
  const owners = { many: {}, few: {} };
  const ask = async (name: keyof typeof owners) => {
    using _place = await semaphore.acquire(never, owners[name]);
    entered.push(name);
  };
  const first = await semaphore.acquire(never);
  const all = [ask("many"), ask("many"), ask("many"), ask("few")];
  first[Symbol.dispose]();
  await Promise.all(all);
  expect(entered).toEqual(["many", "few", "many", "many"]);
});

test("one without a line is full when every place is held, and not before", async () => {
  const semaphore = new Semaphore(1, 0);
  expect(semaphore.isFull).toBe(false);
  using _place = await semaphore.acquire(never);
  expect(semaphore.isFull).toBe(true);
});

test("an owner hears when it waits without any place, and when it does so no more", async () => {
  const semaphore = new Semaphore(1);
  const heard: boolean[] = [];
  const owner = { outside: (isOutside: boolean) => void heard.push(isOutside) };
  const first = await semaphore.acquire(never);
  const gone = new AbortController();
  const waiting = [
    semaphore.acquire(never, owner),
    semaphore.acquire(gone.signal, owner),
    semaphore.acquire(never, owner),
  ];
  const other = semaphore.acquire(never);
  expect(heard).toEqual([true]);
  first[Symbol.dispose]();
  const own = await waiting[0];
  // It waits for its own.
  expect(heard).toEqual([true, false]);
  gone.abort(new Error("gone"));
  await expect(waiting[1]).rejects.toThrow("gone");
  own?.[Symbol.dispose]();
  expect(heard).toEqual([true, false, true]);
  (await other)[Symbol.dispose]();
  await waiting[2];
  expect(heard).toEqual([true, false, true, false]);
});

test("an owner that gives up waiting is outside no more", async () => {
  const semaphore = new Semaphore(1);
  const heard: boolean[] = [];
  await semaphore.acquire(never);
  const gone = new AbortController();
  const waiting = semaphore.acquire(gone.signal, { outside: (isOutside) => void heard.push(isOutside) });
  gone.abort(new Error("gone"));
  await expect(waiting).rejects.toThrow("gone");
  expect(heard).toEqual([true, false]);
});
