import { expect, test } from "bun:test";
import { cheaperPower, cheaperRates } from "../statistics/cheaper.ts";
import { pageNamed, tableBelow } from "./pages.ts";

const MANY = { repetitions: 2_000, seed: 1 };
const page = pageNamed("docs/series.md");

const percent = (share: number, digits = 0) => (100 * share).toFixed(digits);

test(`what is claimed of cheaper arms, and of equal ones (${MANY.repetitions} series from seed ${MANY.seed})`, () => {
  const rows = [0.4, 1, 1.5].map((sigma) => {
    const { claims, misses } = cheaperRates({ sigma, pairs: 100, ratio: 1 }, MANY);
    // Above it a rate of 5% is beyond chance.
    expect(claims).toBeLessThanOrEqual(0.05);
    const told = [0.8, 0.62, 0.5].map((ratio) =>
      [30, 100, 200].map((pairs) => percent(cheaperPower({ sigma, pairs, ratio }, MANY))).join(" / "),
    );
    return [`${sigma}`, `${percent(claims, 1)}%`, `${percent(misses, 1)}%`, ...told.map((shares) => `${shares}%`)];
  });
  expect(tableBelow(page, "Simulated with log-normal figures")).toEqual(rows);
}, 240_000);
