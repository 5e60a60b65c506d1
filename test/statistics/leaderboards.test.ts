import { expect, test } from "bun:test";
import { claimsOf, drawnLeaderboard, inCommon, ordersOf } from "./leaderboards.ts";

const BOARD = drawnLeaderboard({ agents: 6, tasks: 60, trials: 5, seed: 1 });

test("agents of a leaderboard are told apart, none against the order that all trials give", async () => {
  const { pairs, claimed, against } = await claimsOf(BOARD);
  expect(pairs).toBe(15);
  expect(claimed).toBeGreaterThan(5);
  expect(against).toBe(0);
});

test("who solved most may still be the best in each order of the trials, and the others run less than planned", async () => {
  const { best, stays, most } = await ordersOf(BOARD, { orders: 3, seed: 1 });
  expect(best).toBe("agent 5");
  expect(stays).toBe(3);
  expect(most).toBeLessThan(0.8 * 6 * 60 * 5);
});

test("the agents with the most whole tasks are taken, and the tasks that each of them has whole", () => {
  const outcomes = {
    short: { t: [1, 1] },
    long: { t: [0, 1, 1], u: [1, 0] },
    longer: { t: [0, 0], u: [0, 0], v: [1, 1] },
    cut: { t: [1] },
  };
  const board = new Map(Object.entries(outcomes).map(([agent, tasks]) => [agent, new Map(Object.entries(tasks))]));
  const common = [...inCommon(board, { agents: 2, trials: 2 })];
  expect(common.map(([agent, tasks]) => [agent, Object.fromEntries(tasks)])).toEqual([
    ["longer", { t: [0, 0], u: [0, 0] }],
    ["long", { t: [0, 1], u: [1, 0] }],
  ]);
});
