import { describe, expect, test } from "bun:test";
import type { ModelClient } from "../../src/arms/model/client.ts";
import { openJudge } from "../../src/comparison/judge/open-judge.ts";
import { JUDGE_OUTPUT_TOKENS } from "../../src/domain/defaults.ts";
import type { Verdict } from "../../src/domain/verdict.ts";
import { buildCase, type CaseParts, judged } from "./build-case.ts";
import {
  called,
  countingEntropy,
  fixedClock,
  type Judgement,
  mockJudge,
  SILENT,
  spoken,
  wellFormed,
} from "./mock-judge.ts";

const judgeCase = (model: ModelClient, parts: CaseParts = {}): Promise<Verdict> =>
  openJudge({ model, model_name: "mock/judge", clock: fixedClock(), entropy: countingEntropy() })(
    buildCase(parts),
    new AbortController().signal,
  );

/** Ruins the citations of one criterion, in every attempt. */
function uncited(criterion: string) {
  return mockJudge((request) => {
    const answer: Judgement = wellFormed(request, (_, ids) => Object.fromEntries(ids.map((id) => [id, 3])));
    for (const { criteria } of Object.values(answer.candidates))
      for (const entry of criteria)
        if (entry.id === criterion) entry.evidence = [{ kind: "decision", ref: "99", quote: "unseen" }];
    return called(answer);
  });
}

describe("citations that stay bad", () => {
  test("are dropped after two re-asks; the criterion leaves the sum for both arms", async () => {
    const judge = uncited("style");
    const verdict = await judgeCase(judge);
    expect(judge.requests).toHaveLength(6);
    expect(verdict.outcome).toBe("tie");
    expect(verdict.criteria.map(({ id, supported, score_a }) => ({ id, supported, score_a }))).toEqual([
      { id: "root-cause", supported: true, score_a: 0.75 },
      { id: "style", supported: false, score_a: null },
    ]);
    expect(
      verdict.calls.map(({ valid, citations_invalid, attempts }) => ({ valid, citations_invalid, attempts })),
    ).toEqual([
      { valid: true, citations_invalid: 2, attempts: 3 },
      { valid: true, citations_invalid: 2, attempts: 3 },
    ]);
    expect(verdict.flags).toEqual(["citations_dropped", "single_trial"]);
  });

  test("make the call invalid when they take more than a third of the weight", async () => {
    const verdict = await judgeCase(uncited("root-cause"));
    expect(verdict.outcome).toBe("invalid");
    expect(verdict.calls[0]?.error).toBe(
      "more than one third of the judged weight has no valid citation for a candidate",
    );
  });

  test.each([
    [50, true],
    [51, false],
  ])("of weight %i beside 100 leave a usable call: %p", async (weight, valid) => {
    const criteria = [judged("root-cause", 100), judged("style", weight)];
    const { calls } = await judgeCase(uncited("style"), { criteria });
    expect(calls.map((call) => call.valid)).toEqual([valid, valid]);
  });

  test("do not matter once a later answer has good ones", async () => {
    let asked = 0;
    const bad = uncited("style");
    const judge: ModelClient = {
      ref: "mock/judge",
      complete: async (request, options) => {
        asked += 1;
        if (request.messages.length === 1) return await bad.complete(request, options);
        return called(wellFormed(request, (_, ids) => Object.fromEntries(ids.map((id) => [id, 3]))));
      },
    };
    const verdict = await judgeCase(judge);
    expect({ asked, flags: verdict.flags }).toEqual({ asked: 4, flags: ["single_trial"] });
  });
});

test("an earlier usable answer outlives a later unusable one", async () => {
  const bad = uncited("style");
  const judge: ModelClient = {
    ref: "mock/judge",
    complete: async (request, options) =>
      request.messages.length === 1 ? await bad.complete(request, options) : { ...SILENT, stop: "refusal" },
  };
  const verdict = await judgeCase(judge);
  expect(verdict.calls.map(({ valid, attempts }) => ({ valid, attempts }))).toEqual([
    { valid: true, attempts: 2 },
    { valid: true, attempts: 2 },
  ]);
});

test("evidence that overflows a re-ask does not make an earlier usable answer too large", async () => {
  const bad = uncited("style");
  const judge: ModelClient = {
    ref: "mock/judge",
    complete: async (request, options) =>
      request.messages.length === 1 ? await bad.complete(request, options) : { ...SILENT, stop: "context_overflow" },
  };
  expect((await judgeCase(judge)).flags).toEqual(["citations_dropped", "single_trial"]);
});

test("a judge that writes the private code in a re-ask loses its earlier usable answer", async () => {
  const bad = uncited("style");
  const judge: ModelClient = {
    ref: "mock/judge",
    complete: async (request, options) => {
      if (request.messages.length === 1) return await bad.complete(request, options);
      return spoken(`The code is ${/Private code: (\w+)/.exec(request.system)?.[1]}`);
    },
  };
  const { outcome, flags, calls } = await judgeCase(judge);
  expect({ outcome, flags, scores: calls.flatMap(({ scores }) => scores) }).toEqual({
    outcome: "invalid",
    flags: ["injection_suspected", "judge_invalid", "single_trial"],
    scores: [],
  });
  expect(calls.map(({ injection_suspected }) => injection_suspected)).toEqual([true, true]);
});

test("a re-ask that the cost limit does not pay for is not sent, and the call says so", async () => {
  const judge = mockJudge(() => ({ ...SILENT, tokens_out: null }));
  const price = { in: 0, out: 1, cached_in: null };
  const options = { model: judge, model_name: "mock/judge", clock: fixedClock(), entropy: countingEntropy(), price };
  const left_usd = (2 * JUDGE_OUTPUT_TOKENS) / 1e6;
  const { calls } = await openJudge(options)({ ...buildCase(), left_usd }, new AbortController().signal);
  expect(judge.requests).toHaveLength(2);
  expect(calls.map(({ error }) => error)).toEqual(
    Array(2).fill(
      "no answer: call submit_judgement with one complete object; the cost limit left no room to ask again",
    ),
  );
});

test("after an answer in text the errors follow as the user's words", async () => {
  const judge = mockJudge(() => spoken("I like the first."));
  await judgeCase(judge);
  expect(judge.requests.at(-1)?.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "user",
    "assistant",
    "user",
  ]);
});

test("a reply without a word is not sent back", async () => {
  const judge = mockJudge(() => SILENT);
  await judgeCase(judge);
  expect(judge.requests.map(({ messages }) => messages.length)).toEqual(Array(6).fill(1));
});

test("a turn that was cut is not sent back; the errors join the question", async () => {
  const judge = mockJudge(() => ({
    ...SILENT,
    stop: "output_limit",
    calls: [{ id: "1", name: "submit_judgement", input: {} }],
  }));
  await judgeCase(judge);
  const [last] = judge.requests.at(-1)?.messages ?? [];
  expect(judge.requests.at(-1)?.messages).toHaveLength(1);
  expect(last?.role === "user" && last.text).toEndWith(
    "- the answer was cut by the output limit: write shorter notes\nAnswer again, completely, by one call of submit_judgement.",
  );
});

test("a cut turn after a refused call leaves its errors with the call's", async () => {
  const judge = mockJudge((request) =>
    request.messages.length === 1 ? called({}) : { ...SILENT, stop: "output_limit" as const },
  );
  await judgeCase(judge);
  const last = judge.requests.at(-1)?.messages.at(-1);
  expect(judge.requests.at(-1)?.messages).toHaveLength(3);
  expect(last?.role === "tool" && last.results.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^The answer cannot be used:\n- echo: [\s\S]*\n- the answer was cut by the output limit/),
  ]);
});

test("the judge's prose is cleaned and cut, not refused for its length", async () => {
  const judge = mockJudge((request) =>
    called({ ...wellFormed(request, () => ({})), rationale: `\u001b[31m${"long ".repeat(1000)}\u202e` }),
  );
  const { rationale } = (await judgeCase(judge)).calls[0] ?? { rationale: "" };
  expect({ length: rationale.length, start: rationale.slice(0, 9), end: rationale.at(-1) }).toEqual({
    length: 900,
    start: "long long",
    end: "…",
  });
});

describe("an answer beyond all measure", () => {
  const nested = (depth: number) => JSON.parse(`{"echo":${"[".repeat(depth)}${"]".repeat(depth)}}`) as unknown;
  const endless: Record<string, () => ReturnType<typeof called>> = {
    "of millions of characters": () => spoken("{".repeat(3_000_000)),
    "of lists in lists": () => called(nested(200_000)),
  };
  for (const [what, reply] of Object.entries(endless))
    test(`${what} is asked for again without being sent back, and then invalid`, async () => {
      const judge = mockJudge(reply);
      const { outcome, calls } = await judgeCase(judge);
      expect({ outcome, errors: calls.map(({ error }) => error) }).toEqual({
        outcome: "invalid",
        errors: Array(2).fill("the answer is too long to be read: write shorter notes"),
      });
      expect(judge.requests.map(({ messages }) => messages.length)).toEqual(Array(6).fill(1));
    });
});
