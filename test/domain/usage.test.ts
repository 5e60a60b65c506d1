import { expect, test } from "bun:test";
import { costOf, mostCostOf, sumKnown, sumUsage } from "../../src/domain/usage.ts";

const PRICE = { in: 10, out: 100, cached_in: 1 };

test("a sum is unknown as soon as one of its parts is, and nothing sums to 0", () => {
  expect([sumKnown([]), sumKnown([1, 2]), sumKnown([1, null, 2])]).toEqual([0, 3, null]);
});

test("each kind of token is summed on its own: one that is unknown hides no other", () => {
  const uses = [
    { tokens_in: 10, tokens_out: 1, cached_tokens: null },
    { tokens_in: 20, tokens_out: null, cached_tokens: 5 },
  ];
  expect(sumUsage(uses)).toEqual({ tokens_in: 30, tokens_out: null, cached_tokens: null });
});

test("cached input has its own price, the plain one where none is given, and never more tokens than were sent", () => {
  const use = { tokens_in: 1_000, tokens_out: 10, cached_tokens: 400 };
  expect(costOf(PRICE, use)).toBeCloseTo((600 * 10 + 400 * 1 + 10 * 100) / 1e6, 12);
  expect(costOf({ ...PRICE, cached_in: null }, use)).toBeCloseTo((1_000 * 10 + 10 * 100) / 1e6, 12);
  expect(costOf(PRICE, { ...use, cached_tokens: 5_000 })).toBeCloseTo((1_000 * 1 + 10 * 100) / 1e6, 12);
  expect(costOf(PRICE, { ...use, cached_tokens: null })).toBeCloseTo((1_000 * 10 + 10 * 100) / 1e6, 12);
});

test("input that a cache keeps has its own price, and the plain one where none is given", () => {
  const use = { tokens_in: 1_000, tokens_out: 10, cached_tokens: 400, cache_write_tokens: 500 };
  expect(costOf({ ...PRICE, cache_write: 12.5 }, use)).toBeCloseTo((100 * 10 + 400 + 500 * 12.5 + 10 * 100) / 1e6, 12);
  expect(costOf(PRICE, use)).toBeCloseTo((600 * 10 + 400 + 10 * 100) / 1e6, 12);
  expect(costOf({ ...PRICE, cache_write: 12.5 }, { ...use, cache_write_tokens: null })).toBe(costOf(PRICE, use) ?? 0);
  expect(mostCostOf({ ...PRICE, cache_write: 12.5 }, use)).toBeCloseTo((1_000 * 12.5 + 10 * 100) / 1e6, 12);
});

test("cache writes are in a sum as soon as one part counts them", () => {
  const use = { tokens_in: 10, tokens_out: 1, cached_tokens: 0 };
  const written = (...counts: readonly (number | null)[]) =>
    sumUsage([use, ...counts.map((cache_write_tokens) => ({ ...use, cache_write_tokens }))]);
  expect(written()).toEqual(use);
  expect(written(3, 4)).toMatchObject({ cache_write_tokens: 7 });
  expect(written(3, null)).toMatchObject({ cache_write_tokens: null });
});

test("without a price or without tokens a cost is unknown, not 0", () => {
  const use = { tokens_in: 1_000, tokens_out: 10, cached_tokens: 0 };
  expect(costOf(null, use)).toBeNull();
  expect(costOf(PRICE, { ...use, tokens_in: null })).toBeNull();
  expect(costOf(PRICE, { ...use, tokens_out: null })).toBeNull();
});

test("input that a cache keeps for an hour costs twice the input's price, or what the list of prices says", () => {
  const use = {
    tokens_in: 1_000,
    tokens_out: 0,
    cached_tokens: 0,
    cache_write_tokens: 500,
    cache_write_1h_tokens: 300,
  };
  const five_minutes = { ...PRICE, cache_write: 12.5 };
  expect(costOf(five_minutes, use)).toBeCloseTo((500 * 10 + 200 * 12.5 + 300 * 20) / 1e6, 12);
  expect(costOf({ ...five_minutes, cache_write_1h: 15 }, use)).toBeCloseTo(
    (500 * 10 + 200 * 12.5 + 300 * 15) / 1e6,
    12,
  );
  expect(costOf(PRICE, use)).toBeCloseTo((1_000 * 10) / 1e6, 12);
  expect(sumUsage([use, { ...use, cache_write_1h_tokens: 1 }])).toMatchObject({ cache_write_1h_tokens: 301 });
});
