import { expect, test } from "bun:test";
import type { SelfTestListing } from "../../src/domain/self-test.ts";
import type { SessionListing } from "../../src/domain/session-list.ts";
import { contradictions, newestComparisons, spentSince } from "../../src/doors/web/home/overview.ts";

const session = (session_id: string, change: Partial<SessionListing>): SessionListing => ({
  ...{ session_id, scenario: "quick", state: "completed", finished_at: null, arms: [] },
  ...{ outcome: "tie", winner: null, confidence: "low", judge_model: null },
  created_at: "2026-01-02T10:00:00.000Z",
  ...change,
});

const NOTHING = { sessions: [], series: [], self_tests: [], conflicts: [] };

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

test("what was spent today leaves out yesterday, keeps the unknown apart, and says when not all was read", () => {
  const sessions = [
    session("session-2", { cost_usd: 0.25 }),
    session("session-1", { cost_usd: null }),
    session("session-0", { cost_usd: 9, created_at: "2026-01-01T23:00:00.000Z" }),
  ];
  const since = "2026-01-02T00:00:00.000Z";
  const spent = { cost_usd: 0.25, sessions: 2, self_tests: 0, unknown: 1, isLeast: false };
  expect(spentSince(since, { ...NOTHING, sessions }, 200)).toEqual(spent);
  expect(spentSince(since, { ...NOTHING, sessions: sessions.slice(0, 2) }, 2)).toEqual({ ...spent, isLeast: true });
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
