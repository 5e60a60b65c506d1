import { expect, test } from "bun:test";
import type { ModelRequest } from "../../src/arms/model/client.ts";
import { JudgingBudget } from "../../src/comparison/judge/asking/judging-budget.ts";
import { SILENT } from "./mock-judge.ts";

/** Costs 1 USD at most. */
const request: ModelRequest = {
  system: "",
  messages: [],
  tools: [],
  params: { max_output_tokens: 1_000_000 },
  timeout_ms: 1,
};
const budget = (left_usd: number) => new JudgingBudget({ in: 0, out: 1, cached_in: null }, { left_usd });

test("a budget pays for all requests or for none", () => {
  const three = budget(3);
  expect(three.reserve([request, request, request, request])).toBe(false);
  expect([three.reserve([request, request, request]), three.reserve([request])]).toEqual([true, false]);
});

test("a reply gives back what its request did not cost", () => {
  const one = budget(1);
  one.reserve([request]);
  one.settle(request, { ...SILENT, tokens_out: 250_000 });
  expect(one.reserve([request])).toBe(false);
  one.settle(request, { ...SILENT, tokens_out: 750_000 });
  expect([one.reserve([request]), one.reserve([request])]).toEqual([true, false]);
});

test("a reply without token counts gives nothing back", () => {
  const one = budget(1);
  one.reserve([request]);
  one.settle(request, { ...SILENT, tokens_out: null });
  expect(one.reserve([request])).toBe(false);
});
