import { expect, test } from "bun:test";
import { agentRooms } from "../../src/arms/agent/proxy/agent-rooms.ts";

test("agents hold so much together, each of them its own share all the same, and what one held is free at its end", () => {
  const pot = { most: 40, fair: 10, held: 0 };
  const [greedy, honest, late] = [agentRooms(pot), agentRooms(pot), agentRooms(pot)];
  expect(greedy.kept.take(25)).toBe(true);
  expect(greedy.replies.take(15)).toBe(true);
  expect([honest.requests.take(10), honest.requests.take(1), greedy.kept.take(1)]).toEqual([true, false, false]);
  greedy[Symbol.dispose]();
  expect([pot.held, late.requests.take(30), honest.requests.take(1)]).toEqual([10, true, false]);
});

test("what is given back is free at once, also where all hold more than they may together", () => {
  const pot = { most: 40, fair: 10, held: 0 };
  const [greedy, honest] = [agentRooms(pot), agentRooms(pot)];
  expect([greedy.replies.take(40), honest.replies.take(10)]).toEqual([true, true]);
  expect([greedy.replies.take(0), greedy.replies.take(-15), pot.held]).toEqual([true, true, 35]);
  expect([greedy.replies.take(6), greedy.replies.take(5)]).toEqual([false, true]);
});

test("what an agent holds is never more than its own rooms, however empty the others are", () => {
  const { kept, requests } = agentRooms({ most: Number.POSITIVE_INFINITY, fair: 0, held: 0 });
  expect([kept.take(2 ** 25), kept.take(1), requests.take(2 ** 26), requests.take(1)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});
