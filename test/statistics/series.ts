import {
  SERIES_PROTOCOL,
  type SeriesLimits,
  type SeriesPlan,
  type SeriesRecord,
} from "../../src/domain/series-record.ts";
import { sha256 } from "../../src/domain/sha256.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import type { Outcome } from "../../src/domain/verdict.ts";
import { type Advance, type AdvanceInput, advance, type TrialSpec } from "../../src/statistics/advance.ts";

export const SERIES_ID = "series-20260101T000000000Z-00000000";

/** What a trial came to: a side that won, another outcome, or a state without a verdict. */
export type Result =
  | "a"
  | "b"
  | Exclude<Outcome, "winner">
  | "failed"
  | "user_failure"
  | "interrupted"
  | "cancelled"
  | "running";

export interface Planned extends Partial<SeriesLimits>, Partial<Omit<SeriesPlan, "scenarios">> {
  readonly scenarios?: readonly string[];
  readonly state?: SeriesRecord["state"];
  readonly stop?: SeriesRecord["stop"];
}

export function seriesOf(planned: Planned = {}): SeriesRecord {
  const { scenarios = ["S"], state = "running", stop = null } = planned;
  const { trials = 30, stop_when_sure = false, parallel = 1, max_cost_usd = null, stop_at, ...plan } = planned;
  return {
    series_id: SERIES_ID,
    created_at: "2026-01-01T00:00:00.000Z",
    finished_at: null,
    state,
    stop,
    failure: null,
    plan: {
      protocol: SERIES_PROTOCOL,
      scenarios: scenarios.map((scenario) => ({
        scenario,
        digest: sha256(scenario),
        comparison: comparisonOf(scenario),
        self_test_key: null,
      })),
      arms: plan.arms ?? ["candidate", "baseline"],
      judge_model: plan.judge_model ?? "J",
      model_override: null,
      alpha: plan.alpha ?? 0.05,
      margin: plan.margin ?? 0.15,
      ...(plan.measure && { measure: plan.measure }),
      ...(plan.not_worse_by !== undefined && { not_worse_by: plan.not_worse_by }),
      ...(plan.cluster && { cluster: plan.cluster }),
      seed: "seed",
      scripted: plan.scripted ?? false,
      arms_differ: plan.arms_differ ?? false,
    },
    plan_digest: sha256("plan"),
    limits: { trials, stop_when_sure, parallel, max_cost_usd, ...(stop_at && { stop_at }) },
    standing: { conclusion: "undecided", win_rate: null, low: 0, high: 1, counted: 0 },
    changes: [],
  };
}

export const comparisonOf = (scenario: string) => sha256(`comparison of ${scenario}`);

const STATES: Partial<Record<Result, TrialRow["state"]>> = {
  failed: "failed",
  user_failure: "failed",
  interrupted: "interrupted",
  cancelled: "cancelled",
  running: "running",
};

/** A trial's row. Its conduct is its own, so that no two are copies. */
export function rowOf(spec: TrialSpec, result: Result, parts: Partial<TrialRow> = {}): TrialRow {
  const state = STATES[result] ?? "completed";
  const { scenario, trial, round } = spec;
  const verdict = state === "completed" ? verdictOf(result) : NO_VERDICT;
  const ran = { model_served: "m-1", broken: false, cost_usd: 0.25, tokens: 100, wall_ms: 10 };
  const solved = (other: Result) => (state === "completed" ? result !== other : null);
  return {
    session_id: `session-${scenario}-20260101T${String(trial).padStart(9, "0")}Z`,
    scenario,
    comparison: comparisonOf(scenario),
    place: { series_id: SERIES_ID, trial, round },
    state,
    failure: FAILURES[result] ?? null,
    ...verdict,
    arms: { a: { ...ran, solved: solved("b") }, b: { ...ran, solved: solved("a") } },
    judge: { model_served: "j-1", cost_usd: state === "completed" ? 0.5 : null },
    conduct: sha256(`${scenario} ${trial}`),
    ...parts,
  };
}

const NO_VERDICT = { outcome: null, winner_side: null, decided_by: null };

function verdictOf(result: Result): Pick<TrialRow, "outcome" | "winner_side" | "decided_by"> {
  if (result === "a" || result === "b") return { outcome: "winner", winner_side: result, decided_by: "judge" };
  return { outcome: result as Outcome, winner_side: null, decided_by: "none" };
}

const LOST = { class: "infra", code: "provider_failed", message: "no answer" } as const;

const FAILURES: Partial<Record<Result, TrialRow["failure"]>> = {
  failed: LOST,
  user_failure: { class: "user", code: "setup_failed", message: "no such command" },
  interrupted: { class: "infra", code: "interrupted", message: "the process ended" },
};

/** Rows of a series of one scenario, one round after the other. */
export const rowsOf = (results: readonly Result[], parts: Partial<TrialRow> = {}): TrialRow[] =>
  results.map((result, index) => rowOf({ trial: index + 1, round: index + 1, scenario: "S" }, result, parts));

export const times = (count: number, result: Result): Result[] => Array.from({ length: count }, () => result);

/** Letters for results: `+` a won, `-` b won, `=` tie, `~` inconsistent, `?` inconclusive, `!` invalid, `x` failed. */
export const results = (letters: string): Result[] => [...letters].map((letter) => LETTERS[letter] ?? "running");

const LETTERS: Readonly<Record<string, Result>> = {
  "+": "a",
  "-": "b",
  "=": "tie",
  "~": "inconsistent",
  "?": "inconclusive",
  "!": "invalid",
  x: "failed",
  u: "user_failure",
  i: "interrupted",
  c: "cancelled",
};

export const FREE: AdvanceInput = { spent_usd: 0, estimate_usd: null };

/** Runs a series to its end, one trial at a time as `advance` says; `result` is asked for each. */
export async function play(
  series: SeriesRecord,
  result: (spec: TrialSpec) => Result,
): Promise<Advance & { rows: TrialRow[] }> {
  const rows: TrialRow[] = [];
  for (;;) {
    const next = await advance(series, rows, FREE);
    if (next.start.length === 0) return { ...next, rows };
    for (const spec of next.start) rows.push(rowOf(spec, result(spec)));
  }
}
