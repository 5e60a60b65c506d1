import { expect, test } from "bun:test";
import type { ModelClient } from "../../src/arms/model/client.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { scoringJudge } from "../judge/mock-judge.ts";
import { aService } from "./service.ts";

const PRICES = new Map([["openai/m", { in: 1, out: 1, cached_in: null }]]);

const model: ModelClient = {
  ref: "openai/m",
  complete: async () => ({
    text: "Done.",
    calls: [],
    stop: "end",
    stop_reason: "end",
    tokens_in: 900_000,
    tokens_out: 100_000,
    cached_tokens: 0,
    model_served: null,
  }),
};

const judge = scoringJudge((_slot, ids) => Object.fromEntries(ids.map((id) => [id, 2])));

/** Each arm may use a million tokens, 1 USD, and does. */
const limited = (max_cost_per_day_usd: number) =>
  aService({
    persistent: true,
    services: {
      max_cost_per_day_usd,
      prices: PRICES,
      resolveModel: (ref) => (ref === "openai/judge" ? judge : model),
      clock: { now: () => new Date("2026-01-02T23:00:00.000Z"), ticks: () => 0 },
    },
  });

const RUN = { scenario: "quick", model_override: "openai/m" };

test("a run that could take the day beyond its limit is refused with the figures, and the others are not", async () => {
  await using service = limited(3.5);
  expect((await service.post("/api/runs", RUN)).status).toBe(200);
  const refused = await service.post("/api/runs", RUN);
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("3600");
  expect(await refused.json()).toEqual({
    error: {
      code: "overloaded",
      message:
        "This run may cost up to 2 USD; the daily limit is 3.5 USD (2 spent, 0 reserved), so it cannot start today: try again after midnight UTC, or raise --max-cost-per-day",
      details: {
        reason: "max_cost_per_day",
        limit_usd: 3.5,
        spent_usd: 2,
        reserved_usd: 0,
        needed_usd: 2,
        retry_after_s: 3600,
      },
    },
  });
  expect((await service.post("/api/runs", { scenario: "quick" })).status).toBe(200);
  expect(await service.services.store.list()).toHaveLength(2);
});

test("a run that never fits says so and asks for no new try", async () => {
  await using service = limited(1.5);
  const refused = await service.post("/api/runs/async", RUN);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, null]);
  expect(await refused.json()).toMatchObject({
    error: { message: expect.stringContaining("so it can never start: lower max_tokens, or raise") },
  });
});

test("a rejudge counts like a run: refused beyond the limit, and refused without a price", async () => {
  await using service = limited(2.001);
  const outcome = (await (
    await service.post("/api/runs", { ...RUN, scenario: "judged", judge_model: "builtin/evidence" })
  ).json()) as SessionOutcome;
  const [a, b] = outcome.arms.map(({ arm_id }) => ({ session_id: outcome.session_id, arm_id }));
  const again = (judge_model: string) => service.post("/api/verdicts", { arm_a: a, arm_b: b, judge_model });
  expect((await again("builtin/evidence")).status).toBe(200);
  expect((await again("openai/m")).status).toBe(503);
  const unpriced = await again("openai/judge");
  expect(unpriced.status).toBe(422);
  expect(await unpriced.json()).toMatchObject({
    error: {
      message: expect.stringContaining("the judge: openai/judge has no price, and --max-cost-per-day needs one"),
    },
  });
});
