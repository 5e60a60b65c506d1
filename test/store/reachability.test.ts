import { expect, test } from "bun:test";
import { systemClock } from "../../src/runtime/clock.ts";
import { Reachability } from "../../src/store/postgres/reachability.ts";
import { until } from "../turns.ts";

/** A database that answers when it is told to, and a clock that stands still. */
function aDatabase() {
  let ticks = 0;
  let open = Promise.withResolvers<unknown>();
  let questions = 0;
  const reachability = new Reachability({ ...systemClock, ticks: () => ticks }, () => {
    questions += 1;
    open = Promise.withResolvers();
    return open.promise;
  });
  return {
    reachability,
    questions: () => questions,
    answer: () => open.resolve(undefined),
    refuse: () => open.reject(new Error("refused")),
    pass: (ms: number) => {
      ticks += ms;
    },
  };
}

test("an answer counts for a second, however often somebody asks", async () => {
  const { reachability, answer, questions, pass } = aDatabase();
  const asked = [reachability.now(), reachability.now()];
  answer();
  expect(await Promise.all(asked)).toEqual([true, true]);
  pass(999);
  expect([await reachability.now(), questions()]).toEqual([true, 1]);
  pass(1);
  const again = reachability.now();
  answer();
  expect([await again, questions()]).toEqual([true, 2]);
});

test("one that refuses is out of reach until it is asked again", async () => {
  const { reachability, refuse, answer, pass } = aDatabase();
  const asked = reachability.now();
  refuse();
  expect(await asked).toBe(false);
  pass(1_000);
  const again = reachability.now();
  answer();
  expect(await again).toBe(true);
});

test("of one that hangs nobody waits for the answer, and it is asked once", async () => {
  const { reachability, questions, answer, pass } = aDatabase();
  expect(await reachability.now()).toBe(false);
  pass(500);
  expect([await reachability.now(), questions()]).toEqual([false, 1]);
  pass(60_000);
  expect([await reachability.now(), questions()]).toEqual([false, 1]);
  answer();
  await until(() => reachability.now());
  expect(questions()).toBe(1);
});

test("what it answers to others counts too", async () => {
  const { reachability, questions } = aDatabase();
  reachability.answered();
  expect([await reachability.now(), questions()]).toEqual([true, 0]);
});
