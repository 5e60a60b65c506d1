import { expect, test } from "bun:test";
import { type Merged, mergeOrders } from "../../src/comparison/judge/asking/merge-orders.ts";
import type { Label } from "../../src/comparison/judge/verdict/score-table.ts";
import { FLAGS, Verdict } from "../../src/domain/verdict.ts";
import { pageNamed, tableBelow } from "./pages.ts";

const page = pageNamed("docs/judging.md");
const words = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, word = ""]) => word);

test("every flag is explained, and no other", () => {
  const told = tableBelow(page, "## Flags").flatMap(([flag = ""]) => words(flag));
  expect(told.sort()).toEqual([...FLAGS].sort());
});

test("every field of a verdict is explained, and no other", () => {
  const told = tableBelow(page, "| Field | Here |").flatMap(([field = ""]) => words(field));
  expect([...told, "verdict_id", "created_at"].sort()).toEqual(Object.keys(Verdict.properties).sort());
});

test("the table of merged orders says what the code does", () => {
  const labels: readonly (Label | null)[] = ["a", "tie", "b", null];
  const rows = tableBelow(page, "Each order's gap").map(([, ...cells]) => cells);
  expect(rows).toEqual(labels.map((ab) => labels.map((ba) => cellOf(mergeOrders(ab, ba)))));
});

function cellOf({ outcome, winner_side, lean_side }: Merged): string {
  if (winner_side) return `\`${outcome}\` ${winner_side}`;
  return lean_side ? `\`${outcome}\`, lean ${lean_side}` : `\`${outcome}\``;
}
