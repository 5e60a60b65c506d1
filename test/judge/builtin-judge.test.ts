import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { BUILTIN_JUDGE } from "../../src/arms/model/model-ref.ts";
import { openJudge } from "../../src/comparison/judge/open-judge.ts";
import { Verdict } from "../../src/domain/verdict.ts";
import { buildCase, type CaseParts, change, judged, probe } from "./build-case.ts";
import { countingEntropy, fixedClock } from "./mock-judge.ts";

const small = { id: "small", kind: "measured", measure: "changed_lines", weight: 1 } as const;
const graded = { id: "graded", kind: "measured", measure: "probe_score", weight: 2 } as const;

const verdictOn = (parts: CaseParts) =>
  openJudge({ model: undefined, model_name: BUILTIN_JUDGE, clock: fixedClock(), entropy: countingEntropy() })(
    buildCase(parts),
    new AbortController().signal,
  );
const summary = ({ outcome, winner, lean, decided_by, confidence }: Verdict) => ({
  outcome,
  winner,
  lean,
  decided_by,
  confidence,
});

test("measured criteria decide, judged ones are unsupported, and the statement says that no model judged", async () => {
  const verdict = await verdictOn({
    criteria: [judged("style", 5), graded, small],
    a: { probe: probe("pass", 10) },
    b: { probe: probe("pass", 8) },
  });
  expect([...Value.Errors(Verdict, verdict)]).toEqual([]);
  expect(summary(verdict)).toEqual({
    outcome: "winner",
    winner: "plain",
    lean: null,
    decided_by: "measured",
    confidence: "medium",
  });
  expect(verdict.criteria.map(({ id, supported, score_a, score_b }) => ({ id, supported, score_a, score_b }))).toEqual([
    { id: "style", supported: false, score_a: null, score_b: null },
    { id: "graded", supported: true, score_a: 1, score_b: 0.8 },
    { id: "small", supported: true, score_a: 1, score_b: 1 },
  ]);
  expect(verdict.statement).toBe(
    "In this one run of pager-last-page, no model judged; the measured criteria favour plain over tdd (1.00 against 0.87 for plain and tdd). Hidden checks passed: plain 10/10, tdd 8/10; one run per arm says nothing about how often this would happen.",
  );
  expect({ calls: verdict.calls, usage: verdict.usage, judge: verdict.judge }).toEqual({
    calls: [],
    usage: { tokens_in: 0, tokens_out: 0, cost_usd: 0, latency_ms: 1 },
    judge: { model: BUILTIN_JUDGE, model_served: null, protocol: "gates-and-measures/3", prompt_digest: null },
  });
});

test("a gate decides before every measure", async () => {
  const verdict = await verdictOn({
    criteria: [small],
    a: { probe: probe("fail", 0) },
    b: { probe: probe("pass", 10), changes: change("x") },
  });
  expect(summary(verdict)).toEqual({
    outcome: "winner",
    winner: "tdd",
    lean: null,
    decided_by: "probe",
    confidence: "high",
  });
  expect(verdict.statement).toStartWith(
    "In this one run of pager-last-page, plain failed 1 of 1 required hidden checks, tdd passed all; decided by the checks, no model judged.",
  );
});

test("measures within the margin are a tie", async () => {
  expect(summary(await verdictOn({ criteria: [small] }))).toEqual({
    outcome: "tie",
    winner: null,
    lean: null,
    decided_by: "measured",
    confidence: "none",
  });
});

test("without a gate and a measure nobody decides, and that is not invalid", async () => {
  expect(summary(await verdictOn({}))).toEqual({
    outcome: "inconclusive",
    winner: null,
    lean: null,
    decided_by: "none",
    confidence: "none",
  });
});

test("measures cannot win against hidden checks that speak clearly", async () => {
  const verdict = await verdictOn({
    criteria: [{ id: "t", kind: "measured", measure: "turns", weight: 1 }],
    a: { probe: probe("pass", 9), turns: 9 },
    b: { probe: probe("pass", 6), turns: 1 },
  });
  expect(summary(verdict)).toEqual({
    outcome: "inconclusive",
    winner: null,
    lean: null,
    decided_by: "none",
    confidence: "none",
  });
  expect(verdict.flags).toEqual(["judge_probe_conflict", "single_trial"]);
});

test("measured by measured alone, a firm gap is high confidence", async () => {
  const verdict = await verdictOn({
    criteria: [{ id: "t", kind: "measured", measure: "changed_lines", weight: 1 }],
    a: { changes: change("return 1;") },
    b: { changes: change("const one = 1;\nconst two = 2;\nreturn two - one;") },
  });
  expect(summary(verdict)).toEqual({
    outcome: "winner",
    winner: "plain",
    lean: null,
    decided_by: "measured",
    confidence: "high",
  });
});

test("the same arm of two sessions is told apart", async () => {
  const kase = buildCase({ criteria: [small], kase: { kind: "cross_session" } });
  const pointer = { session_id: "session-pager-last-page-20260102T000000000Z", arm_id: "plain" };
  const judge = openJudge({
    model: undefined,
    model_name: BUILTIN_JUDGE,
    clock: fixedClock(),
    entropy: countingEntropy(),
  });
  const { statement } = await judge(
    { ...kase, b: { ...kase.b, pointer, summary: { ...kase.b.summary, status: "disqualified" } } },
    new AbortController().signal,
  );
  expect(statement).toStartWith(
    "In these two runs of pager-last-page, plain (arm_b) was disqualified; plain (arm_a) was not",
  );
});
