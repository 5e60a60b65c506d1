import { expect, test } from "bun:test";
import { mergeOrders } from "../../src/comparison/judge/asking/masked-repetition.ts";
import type { Label } from "../../src/comparison/judge/verdict/score-table.ts";

const TABLE: [
  ab: Label | null,
  ba: Label | null,
  outcome: string,
  winner: string | null,
  lean: string | null,
  pull: number | null,
][] = [
  ["a", "a", "winner", "a", null, 0],
  ["a", "tie", "inconclusive", null, "a", 0.5],
  ["a", "b", "inconsistent", null, null, 1],
  ["a", null, "invalid", null, null, null],
  ["tie", "a", "inconclusive", null, "a", -0.5],
  ["tie", "tie", "tie", null, null, 0],
  ["tie", "b", "inconclusive", null, "b", 0.5],
  ["tie", null, "invalid", null, null, null],
  ["b", "a", "inconsistent", null, null, -1],
  ["b", "tie", "inconclusive", null, "b", -0.5],
  ["b", "b", "winner", "b", null, 0],
  ["b", null, "invalid", null, null, null],
  [null, "a", "invalid", null, null, null],
  [null, "tie", "invalid", null, null, null],
  [null, "b", "invalid", null, null, null],
  [null, null, "invalid", null, null, null],
];

for (const [ab, ba, outcome, winner_side, lean_side, position_pull] of TABLE)
  test(`order ab says ${ab ?? "nothing"}, order ba says ${ba ?? "nothing"}: ${outcome}`, () => {
    const merged = mergeOrders(ab, ba);
    expect({ ...merged, net_vote: undefined, agreement: undefined }).toEqual({
      outcome: outcome as typeof merged.outcome, // a row of the table
      winner_side: winner_side as typeof merged.winner_side,
      lean_side: lean_side as typeof merged.lean_side,
      position_pull,
      net_vote: undefined,
      agreement: undefined,
    });
  });

test("net vote and agreement say how far both orders agree", () => {
  const summary = ([ab, ba]: [Label, Label]) => {
    const { net_vote, agreement } = mergeOrders(ab, ba);
    return [net_vote, agreement];
  };
  const pairs: [Label, Label][] = [
    ["a", "a"],
    ["a", "tie"],
    ["a", "b"],
    ["tie", "tie"],
    ["tie", "b"],
    ["b", "b"],
  ];
  expect(pairs.map(summary)).toEqual([
    [1, 1],
    [0.5, 0.5],
    [0, 0],
    [0, 1],
    [-0.5, 0.5],
    [-1, 1],
  ]);
});
