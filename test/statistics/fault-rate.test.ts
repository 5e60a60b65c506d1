import { expect, test } from "bun:test";
import { faultLevel, faultRange, judgingsUntilFew } from "../../src/statistics/fault-rate.ts";

const LONG = 150;

/** How likely it is told so of one question, looked at after each judging, exactly. */
function toldWith(rate: number, tests: number): Readonly<Record<"few" | "many", number>> {
  const told = { few: 0, many: 0 };
  /** By the number of faults: that nothing is told yet. */
  let open = [1];
  for (let judgings = 1; judgings <= LONG; judgings += 1) {
    open = Array.from({ length: judgings + 1 }, (_, faults) => {
      const chance = (open[faults] ?? 0) * (1 - rate) + (open[faults - 1] ?? 0) * rate;
      const found = chance > 0 ? faultLevel([{ faults, judgings }], tests) : null;
      if (found) told[found] += chance;
      return found ? 0 : chance;
    });
  }
  return told;
}

test("a judge that errs in 10% is said to err often in at most 5% of all self-tests, one that errs in 30% to err seldom in at most 5%", () => {
  expect(4 * toldWith(0.1, 4).many).toBeLessThan(0.05);
  expect(toldWith(0.3, 4).few).toBeLessThan(0.05);
});

test("a judge that errs in 5% is told from one that errs in 50% in most cases", () => {
  expect(toldWith(0.05, 4).few).toBeGreaterThan(0.99);
  expect(toldWith(0.5, 4).many).toBeGreaterThan(0.99);
});

test("faults on one question out of four are many, and the same faults spread over all are not told", () => {
  const spread = Array.from({ length: 4 }, () => ({ faults: 1, judgings: 4 }));
  const on_one = spread.map((_, index) => ({ faults: index === 0 ? 4 : 0, judgings: 4 }));
  expect([faultLevel(on_one, 4), faultLevel(spread, 4)]).toEqual(["many", null]);
});

test("faults are told to be few exactly where the range ends below 30%", () => {
  for (const [faults, least] of [14, 19, 24, 29].entries()) {
    expect(judgingsUntilFew({ faults, judgings: faults })).toBe(least - faults);
    const [before, after] = [least - 1, least].map((judgings) => ({ faults, judgings }));
    for (const count of [before, after])
      if (count) expect(faultRange(count).high < 0.3).toBe(faultLevel([count], 4) === "few");
  }
});

test("nothing asked tells nothing", () => {
  expect([faultLevel([], 4), faultRange({ faults: 0, judgings: 0 })]).toEqual([null, { low: 0, high: 1 }]);
});
