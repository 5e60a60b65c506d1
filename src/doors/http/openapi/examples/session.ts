import type { Decision } from "../../../../domain/decision.ts";
import type { ArmSummary, SessionListing, SessionOutcome } from "../../../../domain/session.ts";
import type { SessionSummary } from "../../../../domain/session-list.ts";
import { EXAMPLE_DIGEST, EXAMPLE_SCENARIO } from "./scenario.ts";
import { EXAMPLE_SESSION_ID, EXAMPLE_VERDICT } from "./verdict.ts";

export { EXAMPLE_SESSION_ID };

export const EXAMPLE_DECISION: Decision = {
  seq: 1,
  kind: "model_turn",
  summary: "Reads the pager and its test.",
  tokens_in: 1240,
  tokens_out: 86,
  latency_ms: 2150,
  at: "2026-01-02T10:15:02.180Z",
  detail: { stop_reason: "calls", tools: ["read_file"], cached_tokens: 0, text: "I read the code first." },
};

/** Of an external agent: its conversations are numbered, and its tools have names of their own. */
const EXTERNAL_DECISIONS: readonly Decision[] = [
  {
    seq: 1,
    kind: "model_turn",
    summary: "Reads the pager.",
    tokens_in: 1240,
    tokens_out: 86,
    latency_ms: 2150,
    at: "2026-01-02T10:15:02.180Z",
    detail: { stop_reason: "calls", tools: ["Read"], cached_tokens: 0, text: "I read the code first.", thread: 1 },
  },
  {
    seq: 2,
    kind: "tool_call",
    summary: "read_file src/pager.ts",
    tokens_in: 0,
    tokens_out: 0,
    latency_ms: 4,
    at: "2026-01-02T10:15:02.184Z",
    detail: {
      tool: "read_file",
      effect: "read",
      input: '{"path":"src/pager.ts"}',
      ok: true,
      exit_code: null,
      output: "export const pages = (n: number) => n - 1;\n",
      bytes: 43,
      thread: 1,
      own_tool: "Read",
    },
  },
];

const ARM: ArmSummary = {
  arm_id: "plain",
  title: "Plain prompt",
  model: "anthropic/claude-sonnet-4-5",
  model_served: "claude-sonnet-4-5",
  status: "finished",
  stop_reason: "final_answer",
  error: null,
  turns: 1,
  tool_calls: 1,
  tokens_in: 1240,
  tokens_out: 86,
  cached_tokens: 0,
  cost_usd: 0.005,
  wall_ms: 2300,
  working_ms: 2300,
  throttled_ms: 0,
  final_answer: "Fixed; the slice end was off by one.",
  replies_digest: EXAMPLE_DIGEST,
  changes: {
    files: [
      {
        path: "src/pager.ts",
        status: "modified",
        added: 1,
        removed: 1,
        binary: false,
        before: "export const pages = (n: number) => n - 1;\n",
        after: "export const pages = (n: number) => n;\n",
      },
    ],
    patch: "--- a/src/pager.ts\n+++ b/src/pager.ts\n@@ -1 +1 @@\n-n - 1\n+n\n",
    digest: EXAMPLE_DIGEST,
    truncated: false,
  },
  probe: {
    score: 1,
    passed: 1,
    total: 1,
    checks: [
      {
        id: "last-page",
        status: "pass",
        required: true,
        weight: 3,
        before: "fail",
        exit_code: 0,
        reason: null,
        output: "2 pass\n",
        duration_ms: 140,
      },
    ],
    restored: [],
  },
  violations: [],
  required: [{ id: "ran-tests", tool: "run_command", count: 2, min: 1, met: true }],
  reference_fix: {
    score: 0.98,
    resolution: "full",
    fail_to_pass: { passed: 1, total: 1 },
    pass_to_pass: null,
    files_expected: ["src/pager.ts"],
    files_touched: ["src/pager.ts"],
    missing_files: [],
    extra_files: [],
    file_precision: 1,
    file_recall: 1,
    file_f1: 1,
    similarity: 0.8,
    exact_match: false,
    size_ratio: 1,
  },
  budget: [{ budget: "turns", used: 1, limit: 30 }],
};

const EXTERNAL_ARM: ArmSummary = {
  ...ARM,
  arm_id: "claude-code",
  title: "Claude Code",
  agent: {
    recipe: "claude-code",
    install: "claude-2.1.330",
    version: "2.1.330",
    digest: EXAMPLE_DIGEST,
    exit_code: 0,
    stdout: "Fixed; the slice end was off by one.\n",
    stderr: "",
  },
};

const CHECKS = { passed: 1, total: 1 };

export const EXAMPLE_SESSION: SessionOutcome = {
  session_id: EXAMPLE_SESSION_ID,
  scenario: EXAMPLE_SCENARIO.name,
  scenario_digest: EXAMPLE_DIGEST,
  state: "completed",
  created_at: "2026-01-02T10:15:00.000Z",
  started_at: "2026-01-02T10:15:00.004Z",
  finished_at: "2026-01-02T10:16:12.251Z",
  request: { model_override: null, judge_model: null },
  definition: EXAMPLE_SCENARIO,
  settings: {
    sandbox: "bubblewrap",
    sandbox_note: null,
    call_timeout_ms: 300_000,
    provider_tries: 6,
    max_output_tokens: 8192,
  },
  arms: [ARM, EXTERNAL_ARM],
  decisions: { plain: [EXAMPLE_DECISION], "claude-code": [...EXTERNAL_DECISIONS] },
  verdict: EXAMPLE_VERDICT,
  verdicts: [],
  fairness: { declared: ["agent"], observed: [] },
  totals: { tokens_in: 12_880, tokens_out: 992, cost_usd: null, wall_ms: 72_247 },
  failure: null,
  version: "0.1.6",
};

export const EXAMPLE_SESSION_ROW: SessionListing = {
  session_id: EXAMPLE_SESSION_ID,
  scenario: EXAMPLE_SCENARIO.name,
  state: "completed",
  created_at: EXAMPLE_SESSION.created_at,
  finished_at: EXAMPLE_SESSION.finished_at,
  arms: [
    { arm_id: "plain", model: ARM.model, status: "finished", score: EXAMPLE_VERDICT.score_a, checks: CHECKS },
    { arm_id: "claude-code", model: ARM.model, status: "finished", score: EXAMPLE_VERDICT.score_b, checks: CHECKS },
  ],
  outcome: EXAMPLE_VERDICT.outcome,
  winner: EXAMPLE_VERDICT.winner,
  confidence: EXAMPLE_VERDICT.confidence,
  judge_model: EXAMPLE_VERDICT.judge.model,
  title: EXAMPLE_SCENARIO.title,
  scenario_digest: EXAMPLE_DIGEST,
  cost_usd: null,
  wall_ms: 72_247,
  verdicts: 1,
  conflict: false,
  flags: EXAMPLE_VERDICT.flags,
};

export const EXAMPLE_SESSION_SUMMARY: SessionSummary = {
  sessions: 1,
  results: [{ name: EXAMPLE_VERDICT.outcome, sessions: 1 }],
  conflicts: 0,
  cost_usd: null,
  cost_unknown: 1,
  wall_ms: 72_247,
  known: {
    scenarios: [{ name: EXAMPLE_SCENARIO.name, sessions: 1 }],
    models: [{ name: ARM.model, sessions: 1 }],
    judges: [{ name: EXAMPLE_VERDICT.judge.model, sessions: 1 }],
  },
};
