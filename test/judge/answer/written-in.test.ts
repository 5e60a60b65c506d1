import { expect, test } from "bun:test";
import { writtenIn } from "../../../src/judge/answer/written-in.ts";

test("an answer is read to 32 lists in lists, and not at all when it goes deeper", () => {
  const within = (depth: number) => {
    const input = Array.from({ length: depth }).reduce<unknown>((inner) => [inner], "said");
    return writtenIn({ text: "", calls: [{ id: "c", name: "n", input }] });
  };
  expect([within(32)?.endsWith("said"), within(33)]).toEqual([true, null]);
});
