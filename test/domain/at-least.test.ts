import { expect, test } from "bun:test";
import { costParts, knownCost, knownTokens, leastText, whyUnknown } from "../../src/domain/at-least.ts";
import { usdText } from "../../src/domain/usd-text.ts";
import { anOutcome } from "../outcomes.ts";

const AT_LEAST = { tokens_in: 200, tokens_out: 20, cost_usd: 0.5, why: "1 of 3 replies broke off" };
const UNKNOWN = { tokens_in: null, tokens_out: 20, cost_usd: null };

const OUTCOME = anOutcome("session-two-20260101T000000000Z");
const [FIRST, SECOND] = OUTCOME.arms;

test("what is known only in part is told as a lower bound", () => {
  const arm = { ...FIRST, ...UNKNOWN, at_least: AT_LEAST };
  expect(leastText(knownCost(arm), usdText)).toBe("at least $0.5000");
  expect(leastText(knownTokens(arm, ["tokens_in", "tokens_out"]), String)).toBe("at least 220");
  expect(leastText(knownTokens(arm, ["tokens_out"]), String)).toBe("20");
  expect(whyUnknown([arm])).toEqual([`${FIRST.arm_id}: 1 of 3 replies broke off`]);
});

test("without a lower bound what is not known is a dash", () => {
  expect(leastText(knownCost({ ...FIRST, ...UNKNOWN }), usdText)).toBe("–");
  expect(whyUnknown([FIRST])).toEqual([]);
});

test("the costs of a run say what the arms cost at least, and why not more is known", () => {
  const costs = costParts({
    ...OUTCOME,
    arms: [
      { ...FIRST, ...UNKNOWN, at_least: AT_LEAST },
      { ...SECOND, cost_usd: 0.25 },
    ],
  });
  expect(costs[0]).toBe("arms at least $0.7500");
  expect(costs.at(-1)).toBe(`${FIRST.arm_id}: 1 of 3 replies broke off`);
});
