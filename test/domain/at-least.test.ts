import { expect, test } from "bun:test";
import { costParts, knownCost, knownTokens, leastText, sumTotals, whyUnknown } from "../../src/domain/at-least.ts";
import type { Decision } from "../../src/domain/decision.ts";
import { usdText } from "../../src/domain/number-text.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { usageOfDecisions } from "../../src/domain/usage.ts";
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
  const arms: SessionOutcome["arms"] = [
    { ...FIRST, ...UNKNOWN, at_least: AT_LEAST },
    { ...SECOND, cost_usd: 0.25 },
  ];
  const costs = costParts({ ...OUTCOME, arms, totals: sumTotals({ ...OUTCOME, arms }) });
  expect(costs[0]).toBe("arms at least $0.7500");
  expect(costs[2]).toBe("total at least $0.7500");
  expect(costs.at(-1)).toBe(`${FIRST.arm_id}: 1 of 3 replies broke off`);
});

test("a total says how much it is at least, and whose part is not known", () => {
  const arm = { ...FIRST, ...UNKNOWN, at_least: AT_LEAST };
  const known = { ...SECOND, tokens_in: 10, tokens_out: 1, cost_usd: 0.25 };
  const lost = { started_at: "", lost_at: "", tokens_in: null, tokens_out: null, cost_usd: null };
  const total = sumTotals({ ...OUTCOME, arms: [arm, known], lost_attempts: [lost] });
  expect(total).toMatchObject({ tokens_in: null, tokens_out: null, cost_usd: null });
  expect(total.at_least).toEqual({
    ...{ tokens_in: 210, tokens_out: 21, cost_usd: 0.75 },
    why: `${FIRST.arm_id}: 1 of 3 replies broke off; not all that lost attempts used is known`,
  });
  const whole = { tokens_in: 1, tokens_out: 1, cost_usd: 1 };
  expect(sumTotals({ ...OUTCOME, arms: [{ ...FIRST, ...whole }, known] }).at_least).toBeUndefined();
});

test("an arm that was interrupted has used what its decisions tell, at least", () => {
  const turn = (tokens: number, more: { readonly usage_unknown?: true; readonly model?: string }): Decision => ({
    ...{ seq: 1, kind: "model_turn", summary: "", latency_ms: 0, tokens_in: tokens, tokens_out: tokens },
    detail: { stop_reason: "end", tools: [], cached_tokens: null, text: "", ...more },
  });
  const price = { in: 1, out: 2, cached_in: null };
  const used = usageOfDecisions(
    [turn(100, {}), turn(0, { usage_unknown: true }), turn(50, { model: "x/small" })],
    price,
  );
  expect(used).toMatchObject({ tokens_in: null, tokens_out: null, cost_usd: null });
  expect(used.at_least).toEqual({
    ...{ tokens_in: 150, tokens_out: 150, cost_usd: 300 / 1e6 },
    why: "it is not known what 1 of 3 replies used; what small calls of other models cost was not stored",
  });
  expect(usageOfDecisions([turn(100, {})], price).at_least).toBeUndefined();
});

test("nobody knows how long a run took whose end is before its start, because the clock was set back", () => {
  const timed = (started_at: string, finished_at: string) => sumTotals({ ...OUTCOME, started_at, finished_at }).wall_ms;
  expect(timed("2026-01-01T12:00:00.000Z", "2026-01-01T12:00:00.250Z")).toBe(250);
  expect(timed("2026-01-01T12:00:00.000Z", "2026-01-01T11:00:00.000Z")).toBeNull();
});
