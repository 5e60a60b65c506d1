import { expect, test } from "bun:test";
import type { SeriesRecord } from "../../src/domain/series-record.ts";
import { trialRowOf } from "../../src/domain/trial.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { reportOf } from "../../src/statistics/report.ts";
import { standingOf } from "../../src/statistics/standing.ts";

const USAGE = { ...EXAMPLES.verdict.usage, cost_usd: 0.02 };
const WON = { ...EXAMPLES.verdict, kind: "run" as const, usage: USAGE };
const TORN = { ...WON, outcome: "inconsistent" as const, winner: null, winner_side: null, decided_by: "none" as const };

/** The rows of which the example is told. */
const rows = [WON, TORN].map((verdict, index) => {
  const { trial = 0, round = 0, session_id = "" } = EXAMPLES.series.trials[index] ?? {};
  const [a, b] = EXAMPLES.session.arms;
  const digest = (arm: string) => `${arm}${trial}`.padEnd(64, "0");
  return trialRowOf({
    ...{ ...EXAMPLES.session, session_id, verdict, comparison: EXAMPLES.session.scenario_digest },
    trial: { series_id: EXAMPLES.series.series_id, trial, round },
    arms: [
      { ...a, replies_digest: digest("a") },
      { ...b, replies_digest: digest("b") },
    ],
  });
});

/** Logarithms differ in their last bits from machine to machine. */
const withoutLastBits = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (_, part) => (typeof part === "number" ? Number(part.toPrecision(12)) : part)));

test("the example of a series is what its trials say", async () => {
  const { plan, plan_digest, limits } = EXAMPLES.series;
  if (plan === null || plan_digest === null || limits === null) throw new Error("the example was not planned");
  const { standing, created_at } = EXAMPLES.series_row;
  const { finished_at, state, stop } = EXAMPLES.series;
  const record: SeriesRecord = {
    ...{ series_id: EXAMPLES.series.series_id, plan, plan_digest, limits, standing },
    ...{ created_at, finished_at, state, stop, failure: null, changes: [] },
  };
  const report = await reportOf(record, rows, { stored: rows, judge_unaudited: true });
  expect(withoutLastBits(report)).toEqual(withoutLastBits(EXAMPLES.series));
  expect(standingOf(record, rows)).toEqual(standing);
});
