import { pendingArm } from "../src/comparison/session/stored-arm.ts";
import type { Arm } from "../src/domain/arm.ts";
import type { Decision } from "../src/domain/decision.ts";
import type { Scenario } from "../src/domain/scenario.ts";
import type { SelfTest } from "../src/domain/self-test.ts";
import type { SessionOutcome } from "../src/domain/session.ts";

const ZERO_DIGEST = "0".repeat(64);

export function anArm(id: string, changes: Partial<Arm> = {}): Arm {
  return {
    id,
    title: `Arm ${id}`,
    model: "scripted/test",
    system_prompt: `You are ${id}.`,
    tools: ["read_file", "write_file", "edit_file", "list_files", "search_files", "run_command"],
    params: {},
    limits: {},
    price_per_mtok: null,
    script: [{ say: "Done." }],
    ...changes,
  };
}

/** A small resolved scenario. A test passes in what it is about. */
export function aScenario(changes: Partial<Scenario> = {}): Scenario {
  return {
    name: "sample",
    title: "Sample",
    description: "",
    tags: [],
    varies: null,
    task: {
      prompt: "Do the task.",
      fixture: null,
      setup: [],
      probe: null,
      reference_fix: null,
      deliverable: ["**"],
    },
    arms: [anArm("left"), anArm("right")],
    policies: {
      budget: { max_turns: 40, max_tokens: 1_000_000, max_seconds: 600, max_tool_calls: 120, max_cost_usd: null },
      commands: { deny: [], allow: null, timeout_s: 60, max_output_kb: 64 },
      paths: { writable: ["**"], protected: [] },
      network: "none",
      required: [],
      severity: { protected_path: "disqualify", denied_command: "warn", required: "warn" },
    },
    rubric: {
      instructions: "",
      tie_margin: 0.05,
      criteria: [{ id: "turns", kind: "measured", measure: "turns", weight: 1 }],
      judge: { model: "builtin/evidence", probe_visibility: "shown", max_evidence_tokens: 12_000 },
    },
    ...changes,
  };
}

export function anOutcome(session_id: string, changes: Partial<SessionOutcome> = {}): SessionOutcome {
  const definition = aScenario();
  const [first, second] = definition.arms;
  return {
    session_id,
    scenario: definition.name,
    scenario_digest: ZERO_DIGEST,
    state: "queued",
    created_at: "2026-01-02T03:04:05.678Z",
    started_at: null,
    finished_at: null,
    request: { model_override: null, judge_model: null },
    definition,
    settings: {
      sandbox: "none",
      sandbox_note: null,
      call_timeout_ms: 300_000,
      provider_tries: 6,
      max_output_tokens: 8192,
    },
    arms: [pendingArm(first), pendingArm(second)],
    decisions: { left: [], right: [] },
    verdict: null,
    verdicts: [],
    fairness: { declared: [], observed: [] },
    totals: { tokens_in: null, tokens_out: null, cost_usd: null, wall_ms: null },
    failure: null,
    version: "0.1.6",
    ...changes,
  };
}

export function aTurn(seq: number, changes: Partial<Decision> = {}): Decision {
  return {
    seq,
    kind: "model_turn",
    summary: `turn ${seq}`,
    tokens_in: 10,
    tokens_out: 5,
    latency_ms: 1,
    at: "2026-01-02T03:04:05.678Z",
    detail: { stop_reason: "end", tools: [], cached_tokens: 0, text: "" },
    ...changes,
  } as Decision; // a test may build any kind
}

export function aSelfTest(changes: Partial<SelfTest> = {}): SelfTest {
  return {
    self_test_id: "self-test-sample-20260102T030405678Z-000000",
    state: "completed",
    scenario: "sample",
    digest: ZERO_DIGEST,
    judge: { model: "openai/judge", protocol: "swapped-pair/3", prompt_digest: ZERO_DIGEST },
    parts: [],
    calls: 0,
    cost_usd: null,
    verdict: "pass",
    failure: null,
    created_at: "2026-01-02T03:04:05.678Z",
    finished_at: "2026-01-02T03:05:05.678Z",
    ...changes,
  };
}
