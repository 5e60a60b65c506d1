import { expect, test } from "bun:test";
import { openJudge } from "../../src/comparison/judge/open-judge.ts";
import { buildCase, NO_CHANGE } from "./build-case.ts";
import { countingEntropy, fixedClock, scoringJudge } from "./mock-judge.ts";

/** Only output costs, one dollar a million tokens. */
const PRICE = { in: 0, out: 1, cached_in: null };

/** A judge that prefers the answer that says so, with no money left or so much. */
async function judgedWith(left_usd: number | undefined, parts: Parameters<typeof buildCase>[0] = {}) {
  const model = scoringJudge(({ evidence }, ids) =>
    Object.fromEntries(ids.map((id) => [id, /slice.plain|FIRST/.test(evidence) ? 4 : 1])),
  );
  const [clock, entropy] = [fixedClock(), countingEntropy()];
  const judge = openJudge({ model, model_name: "m", clock, entropy, price: PRICE });
  const kase = { ...buildCase(parts), ...(left_usd === undefined ? {} : { left_usd }) };
  const { flags, calls } = await judge(kase, new AbortController().signal);
  const told = flags.filter((flag) => flag === "cost_limit_reached" || flag === "prose_only");
  return { told, calls: calls.length, max_output_tokens: model.requests[0]?.params.max_output_tokens ?? 0 };
}

test("a masked repetition that the money does not pay is told as such, one that is not needed or not possible is not", async () => {
  const free = await judgedWith(undefined);
  expect(free).toMatchObject({ told: [], calls: 4 });
  const two_calls_usd = (2 * free.max_output_tokens) / 1e6;
  expect(await judgedWith(two_calls_usd)).toMatchObject({ told: ["cost_limit_reached"], calls: 2 });
  expect(await judgedWith(two_calls_usd / 2)).toMatchObject({ told: ["cost_limit_reached"], calls: 0 });
  const words = { a: { changes: NO_CHANGE, final_answer: "FIRST" }, b: { changes: NO_CHANGE } };
  expect(await judgedWith(undefined, words)).toMatchObject({ told: ["prose_only"], calls: 2 });
});
