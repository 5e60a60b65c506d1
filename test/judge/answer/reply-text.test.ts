import { expect, test } from "bun:test";
import { replyText } from "../../../src/comparison/judge/answer/parse-answer.ts";
import { JUDGE_REPLY_CHARS } from "../../../src/domain/defaults.ts";

test("names of fields count as text", () => {
  const withName = (length: number) =>
    replyText({ text: "", calls: [{ id: "c", name: "n", input: { ["k".repeat(length)]: "" } }] });
  expect([withName(JUDGE_REPLY_CHARS - 2)?.length, withName(JUDGE_REPLY_CHARS)]).toEqual([JUDGE_REPLY_CHARS, null]);
});

test("an answer is read to 32 lists in lists, and not at all when it goes deeper", () => {
  const within = (depth: number) => {
    const input = Array.from({ length: depth }).reduce<unknown>((inner) => [inner], "said");
    return replyText({ text: "", calls: [{ id: "c", name: "n", input }] });
  };
  expect([within(32)?.endsWith("said"), within(33)]).toEqual([true, null]);
});
