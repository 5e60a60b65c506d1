import type { Facts, JudgeCall, Verdict } from "../../../../domain/verdict.ts";
import { EXAMPLE_DIGEST, EXAMPLE_SCENARIO } from "./scenario.ts";

export const EXAMPLE_SESSION_ID = "session-pager-last-page-20260102T101500000Z";

const FACTS: Facts = {
  status: "finished",
  stop_reason: "final_answer",
  required_checks: "passed",
  probe: { score: 1, passed: 1, total: 1, checks: [{ id: "last-page", status: "pass" }] },
  disqualified: false,
  violations: [],
  required: [{ id: "ran-tests", tool: "run_command", count: 2, min: 1, met: true }],
  changed_files: 1,
  added: 1,
  removed: 1,
  reference_fix: null,
};

const CALL: JudgeCall = {
  order: "ab",
  masked: false,
  valid: true,
  label: "b",
  gap: -0.5,
  preference: "b",
  strength: "clear",
  scores: [
    {
      id: "root-cause",
      score_a: 2,
      score_b: 4,
      note_a: "The slice end is patched for one size.",
      note_b: "The rounding is right.",
      supported: true,
    },
  ],
  concerns: [],
  injection_suspected: false,
  rationale: "B changes the rounding that caused both symptoms.",
  attempts: 1,
  citations_invalid: 0,
  tokens_in: 5200,
  tokens_out: 410,
  latency_ms: 8300,
  model_served: "gpt-5",
  error: null,
};

const SCOPE =
  "Hidden checks passed: plain 1/1, claude-code 1/1; one run per arm says nothing about how often this would happen.";

export const EXAMPLE_VERDICT: Verdict = {
  verdict_id: "verdict-4f1c9a7e2b6d8035",
  created_at: "2026-01-02T10:16:12.250Z",
  kind: "run",
  scenario: EXAMPLE_SCENARIO.name,
  scenario_digest: EXAMPLE_DIGEST,
  arm_a: { session_id: EXAMPLE_SESSION_ID, arm_id: "plain" },
  arm_b: { session_id: EXAMPLE_SESSION_ID, arm_id: "claude-code" },
  outcome: "winner",
  winner: "claude-code",
  winner_side: "b",
  lean: null,
  lean_side: null,
  gate: { plain: null, "claude-code": "better" },
  decided_by: "judge",
  confidence: "medium",
  score_a: 0.58,
  score_b: 1,
  score_gap: -0.42,
  net_vote: -1,
  agreement: 1,
  position_pull: 0,
  criteria: [
    {
      id: "root-cause",
      kind: "judged",
      weight: 5,
      score_a: 0.5,
      score_b: 1,
      gap: -0.5,
      position_gap: 0,
      supported: true,
      note: "a: the slice end is patched for one size. b: the rounding is right.",
      evidence: [{ side: "b", kind: "diff", ref: "src/pager.ts:3", quote: "Math.ceil(total / size)" }],
    },
    {
      id: "small",
      kind: "measured",
      weight: 1,
      score_a: 1,
      score_b: 1,
      gap: 0,
      position_gap: null,
      supported: true,
      note: "2 lines against 2 lines",
      evidence: [],
    },
  ],
  sensitivity: {
    flip_distance: null,
    leave_one_out: [{ criterion: "root-cause", outcome: "tie", winner_side: null }],
  },
  facts: { a: FACTS, b: FACTS },
  judge: { model: "openai/gpt-5", model_served: "gpt-5", protocol: "1", prompt_digest: EXAMPLE_DIGEST },
  calls: [CALL, { ...CALL, order: "ba" }],
  usage: { tokens_in: 10_400, tokens_out: 820, cost_usd: null, latency_ms: 8400 },
  flags: ["single_trial"],
  rationale: "B changes the rounding that caused both symptoms.",
  statement: `In this one run of pager-last-page, judge openai/gpt-5 favoured claude-code over plain in both presentation orders. ${SCOPE}`,
  scope: SCOPE,
  series: null,
};
