import { beforeAll, describe, expect, test } from "bun:test";
import { byJudging } from "./simulation/by-judging.ts";
import { byRule } from "./simulation/by-rule.ts";
import { chanceOf, drawPair, JUDGES } from "./simulation/pairs.ts";
import { byOneCall, type Rates, ratesOf } from "./simulation/rates.ts";

const PAIRS = 20_000;

/** Of 200,000 pairs under protocol `swapped-pair/1`: no change of the rules may name the wrong arm more often. */
const BEFORE = {
  good: { wrong: 0.0228, high_on_equal: 0.1525 },
  mid: { wrong: 0.023, high_on_equal: 0.1652 },
  weak: { wrong: 0.0239, high_on_equal: 0.1482 },
} as const;

/** What `high` promises on pairs of which one arm is better. */
const PROMISED = { good: 0.99, mid: 0.98, weak: 0.97 } as const;

/** Three standard errors of a share of so many. */
const error = (share: number, of: number) => 3 * Math.sqrt((share * (1 - share)) / of);

for (const name of ["good", "mid", "weak"] as const)
  describe(`a ${name} judge, simulated`, () => {
    const faults = JUDGES[name];
    const drawn = { faults, pairs: PAIRS, seed: 5 };
    let rates: Rates;
    beforeAll(async () => {
      rates = await ratesOf(byRule, drawn);
    });

    test("names the wrong arm no more often than before, and far less often than one call", async () => {
      const once = await ratesOf(byOneCall, drawn);
      expect(rates.wrong).toBeLessThan(BEFORE[name].wrong + error(BEFORE[name].wrong, PAIRS * 0.7));
      expect(rates.wrong).toBeLessThan(once.wrong);
    });

    test("is right with high confidence as often as is promised, on equal arms half as often as before", () => {
      const highs = rates.high * PAIRS;
      expect(rates.high_right).toBeGreaterThan(PROMISED[name] - error(PROMISED[name], highs));
      const half = BEFORE[name].high_on_equal / 2;
      expect(rates.high_on_equal).toBeLessThan(half + error(half, highs));
      expect(rates.high).toBeGreaterThan(0.3);
    });

    test("through the whole judging every verdict is the one that the rules give", async () => {
      const [pairs, one, other] = [chanceOf(9), chanceOf(10), chanceOf(10)];
      for (let index = 0; index < 60; index += 1) {
        const pair = drawPair(pairs);
        expect(await byJudging(pair, faults, one)).toEqual(await byRule(pair, faults, other));
      }
    });
  });
