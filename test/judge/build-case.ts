import type { Case, JudgedArm } from "../../src/comparison/judge/judge.ts";
import type { Decision } from "../../src/domain/decision.ts";
import type { Changes, CheckResult, ProbeResult } from "../../src/domain/evidence.ts";
import type { Criterion, Rubric } from "../../src/domain/rubric.ts";
import type { Scenario } from "../../src/domain/scenario.ts";
import type { ArmSummary } from "../../src/domain/session.ts";
import type { Task } from "../../src/domain/task.ts";

/** A plausible case: two small fixes of one bug. Tests say only what matters to them. */
export interface CaseParts {
  readonly a?: Partial<ArmSummary>;
  readonly b?: Partial<ArmSummary>;
  readonly decisions_a?: readonly Decision[];
  readonly decisions_b?: readonly Decision[];
  readonly criteria?: readonly Criterion[];
  readonly rubric?: Partial<Rubric>;
  readonly task?: Partial<Task>;
  readonly kase?: Partial<Omit<Case, "a" | "b" | "rubric" | "task">>;
}

export function buildCase(parts: CaseParts = {}): Case {
  return {
    scenario: "pager-last-page",
    scenario_digest: "d".repeat(64),
    kind: "run",
    task: { ...TASK, ...parts.task },
    policies: POLICIES,
    rubric: {
      instructions: "",
      tie_margin: 0.05,
      criteria: [...(parts.criteria ?? CRITERIA)],
      judge: { model: null, probe_visibility: "shown", max_evidence_tokens: 12_000 },
      ...parts.rubric,
    },
    a: buildArm("plain", parts.a, parts.decisions_a),
    b: buildArm("tdd", parts.b, parts.decisions_b),
    flags: [],
    ...parts.kase,
  };
}

export function buildArm(
  arm_id: string,
  summary: Partial<ArmSummary> = {},
  decisions: readonly Decision[] = [turn(1, "I look at the pager."), command(2, "bun test", 0, "4 pass")],
): JudgedArm {
  return {
    pointer: { session_id: "session-pager-last-page-20260101T000000000Z", arm_id },
    summary: {
      ...SUMMARY,
      arm_id,
      title: `The ${arm_id} arm`,
      changes: change(`return slice.${arm_id.replaceAll("-", "_")}(0, n);`),
      ...summary,
    },
    decisions,
  };
}

export const judged = (id: string, weight = 1): Criterion => ({
  id,
  kind: "judged",
  question: `How good is ${id}?`,
  weight,
  anchors: {},
});

export const CRITERIA = [judged("root-cause", 3), judged("style", 1)];

/** A change of one line, or of that line into several, in one file. */
export function change(line: string, path = "src/pager.ts"): Changes {
  const lines = line.split("\n");
  const [open, old, close] = ["export function pager(n: number) {", "  return slice(0, n - 1);", "}"];
  const before = `${[open, old, close].join("\n")}\n`;
  const after = `${open}\n  ${line}\n${close}\n`;
  const file = { path, status: "modified", added: lines.length, removed: 1, binary: false, before, after } as const;
  const added = `+  ${lines.join("\n+")}`;
  const patch = `--- ${path}\n+++ ${path}\n@@ -1,3 +1,${lines.length + 2} @@\n ${open}\n-${old}\n${added}\n ${close}\n`;
  return { files: [file], patch, digest: "c".repeat(64), truncated: false };
}

export const NO_CHANGE: Changes = { files: [], patch: "", digest: "c".repeat(64), truncated: false };

/** A probe whose required check is `last-page`; `passed` of 10 graded checks of equal weight pass. */
export function probe(required: "pass" | "fail", passed: number): ProbeResult {
  const check = (id: string, status: "pass" | "fail", isRequired: boolean): CheckResult => ({
    id,
    status,
    required: isRequired,
    weight: 1,
    before: "fail",
    exit_code: status === "pass" ? 0 : 1,
    reason: status === "pass" ? null : "exit 1, expected 0",
    output: `${id} printed this`,
    duration_ms: 5,
  });
  const graded = Array.from({ length: 10 }, (_, index) =>
    check(`graded-${index}`, index < passed ? "pass" : "fail", false),
  );
  return {
    score: passed / 10,
    passed,
    total: 10,
    checks: [check("last-page", required, true), ...graded],
    restored: [],
  };
}

const base = { tokens_in: 0, tokens_out: 0, latency_ms: 3 };

export const turn = (seq: number, text: string): Decision => ({
  ...base,
  seq,
  kind: "model_turn",
  summary: text,
  detail: { stop_reason: "end", tools: [], cached_tokens: 0, text },
});

export const command = (seq: number, run: string, exit_code: number, output: string): Decision => ({
  ...base,
  seq,
  kind: "tool_call",
  summary: `run_command ${run}`,
  detail: {
    tool: "run_command",
    input: JSON.stringify({ command: run }),
    ok: exit_code === 0,
    exit_code,
    output,
    bytes: 6,
  },
});

export const reading = (seq: number, path: string): Decision => ({
  ...base,
  seq,
  kind: "tool_call",
  summary: `read_file ${path}`,
  detail: { tool: "read_file", input: JSON.stringify({ path }), ok: true, exit_code: null, output: "text", bytes: 4 },
});

const SUMMARY: ArmSummary = {
  arm_id: "plain",
  title: "Plain",
  model: "scripted/replay",
  model_served: null,
  status: "finished",
  stop_reason: "final_answer",
  error: null,
  turns: 2,
  tool_calls: 1,
  tokens_in: 100,
  tokens_out: 20,
  cached_tokens: 0,
  cost_usd: null,
  wall_ms: 1000,
  working_ms: 1000,
  throttled_ms: 0,
  final_answer: "Fixed: the slice end was off by one.",
  changes: null,
  probe: probe("pass", 10),
  violations: [],
  required: [],
  reference_fix: null,
  budget: [],
};

const TASK: Task = {
  prompt: "The last page of results is missing. Fix it.",
  fixture: null,
  setup: [],
  probe: null,
  reference_fix: null,
  deliverable: ["**"],
};

const POLICIES: Scenario["policies"] = {
  budget: { max_turns: 40, max_tokens: 1_000_000, max_seconds: 600, max_tool_calls: 120, max_cost_usd: null },
  commands: { deny: ["git push*"], allow: null, timeout_s: 60, max_output_kb: 64 },
  paths: { writable: ["**"], protected: ["pager.test.ts"] },
  network: "none",
  required: [],
  severity: { protected_path: "disqualify", denied_command: "warn", required: "warn" },
};
