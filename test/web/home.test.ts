import { expect, test } from "bun:test";
import type { SelfTestListing } from "../../src/domain/self-test.ts";
import type { SessionListing } from "../../src/domain/session-list.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { contradictions, newestComparisons, spentSince } from "../../src/doors/web/home/overview.ts";

const session = (session_id: string, change: Partial<SessionListing>): SessionListing => ({
  ...{ session_id, scenario: "quick", state: "completed", finished_at: null, arms: [] },
  ...{ outcome: "tie", winner: null, confidence: "low", judge_model: null },
  created_at: "2026-01-02T10:00:00.000Z",
  ...change,
});

const NOTHING = { sessions: [], series: [], self_tests: [], conflicts: [], today: EXAMPLES.session_summary };

test("a scenario's single runs are one comparison, trials and runs without a verdict none", () => {
  const trial = { series_id: "series-20260101T000000000Z-00000000", trial: 1, round: 1 };
  const sessions = [
    session("session-3", {}),
    session("session-2", {}),
    session("session-trial", { trial }),
    session("session-failed", { scenario: "other", outcome: null, state: "failed" }),
  ];
  const told = newestComparisons({ ...NOTHING, sessions }, 8);
  expect(told).toEqual(sessions.slice(0, 1).map((row) => ({ kind: "run", row, others: 1 })));
});

test("what was spent today is what all sessions of the day cost, with the self-tests of the day", () => {
  const since = "2026-01-02T00:00:00.000Z";
  const today = { ...EXAMPLES.session_summary, sessions: 2_001, cost_usd: 7.5, cost_unknown: 1 };
  const self_tests = [
    { ...EXAMPLES.self_test_row, cost_usd: 0.25, created_at: since },
    { ...EXAMPLES.self_test_row, cost_usd: null, created_at: since },
    { ...EXAMPLES.self_test_row, cost_usd: 9, created_at: "2026-01-01T23:59:59.999Z" },
  ];
  const spent = { cost_usd: 7.75, sessions: 2_001, self_tests: 2, unknown: 2 };
  expect(spentSince(since, { today, self_tests })).toEqual(spent);
  expect(spentSince(since, { today: { ...today, cost_usd: null }, self_tests })).toEqual({ ...spent, cost_usd: 0.25 });
});

test("a judge that failed and passed later is no contradiction any more", () => {
  const self_test = (verdict: SelfTestListing["verdict"], model: string): SelfTestListing => ({
    ...{ self_test_id: `self-test-${verdict}-${model}`, state: "completed", scenario: "quick", verdict, calls: 20 },
    judge: { model, protocol: "swapped-pair/3", prompt_digest: null },
    ...{ cost_usd: null, created_at: "2026-01-02T10:00:00.000Z", finished_at: null },
  });
  const self_tests = [self_test("pass", "p/mended"), self_test("fail", "p/mended"), self_test("fail", "p/bad")];
  expect(contradictions({ ...NOTHING, self_tests }).judges.map(({ judge }) => judge.model)).toEqual(["p/bad"]);
});
