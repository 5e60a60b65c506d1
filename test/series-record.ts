import { MARGIN } from "../src/domain/defaults.ts";
import type { StoredResults } from "../src/domain/results.ts";
import { ALPHA, SERIES_PROTOCOL, type SeriesRecord } from "../src/domain/series-record.ts";
import type { SessionOutcome } from "../src/domain/session.ts";
import { anOutcome } from "./outcomes.ts";

const DIGEST = "0".repeat(64);

/** A small series that runs. A test passes in what it is about. */
export function aSeries(
  series_id: string,
  { scenarios = ["sample"], ...changes }: Partial<SeriesRecord> & { readonly scenarios?: readonly string[] } = {},
): SeriesRecord {
  return {
    series_id,
    created_at: "2026-01-02T03:04:05.678Z",
    finished_at: null,
    state: "running",
    stop: null,
    failure: null,
    plan: {
      protocol: SERIES_PROTOCOL,
      scenarios: scenarios.map((scenario) => ({ scenario, digest: DIGEST, comparison: DIGEST, self_test_key: null })),
      arms: ["left", "right"],
      judge_model: "builtin/evidence",
      model_override: null,
      alpha: ALPHA,
      margin: MARGIN,
      seed: "seed",
      scripted: true,
      arms_differ: false,
    },
    plan_digest: DIGEST,
    limits: { trials: 30, stop_when_sure: true, parallel: 1, max_cost_usd: null },
    standing: { conclusion: "undecided", win_rate: null, low: 0, high: 1, counted: 0 },
    changes: [],
    ...changes,
  };
}

/** A session that is a trial of a series. */
export const aTrial = (
  session_id: string,
  series_id: string,
  trial: number,
  changes: Partial<SessionOutcome> = {},
): SessionOutcome =>
  anOutcome(session_id, { comparison: DIGEST, trial: { series_id, trial, round: trial }, ...changes });

/** A small table of results that was stored at a time; `digit` makes its id. */
export const someResults = (digit: string, created_at: string): StoredResults => ({
  ...{ series_id: `results-${digit.repeat(64)}`, created_at, state: "completed" },
  standing: { conclusion: "a_preferred", win_rate: 1, low: 0.6, high: 1, counted: 2 },
  results: {
    ...{ measure: "passed", arms: { a: "new one", b: "old" }, tie_margin: 0.05, levels: { alpha: 0.05, margin: 0.15 } },
    scenarios: [
      {
        scenario: "Any name",
        trials: [
          [1, 1, 0],
          [2, 1, null],
        ],
      },
    ],
  },
});
