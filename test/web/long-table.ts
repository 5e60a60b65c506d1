import type { Page } from "playwright-core";
import type { Series } from "../../src/domain/series.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import { abridged } from "../../src/doors/operation/series.ts";
import { reportOf } from "../../src/statistics/report.ts";
import { type Result, rowOf, SERIES_ID, seriesOf } from "../statistics/series.ts";

const LANGUAGES = ["de", "en", "fr"];

const inputOf = (index: number) => `row-${index}`;

/** A series of one trial for each row of a table, whose third column is a language. */
export async function longTable(many: number): Promise<Series> {
  const record = seriesOf({ scenarios: Array.from({ length: many }, () => "sums"), state: "completed", trials: 1 });
  const scenarios = record.plan.scenarios.map((planned, index) => ({ ...planned, input: inputOf(index) }));
  const of_row = scenarios.map((_, index) => index % LANGUAGES.length);
  const columns = [{ field: "language", values: LANGUAGES, of_row }];
  const rows = scenarios.map((_, index) => tableRow(index));
  return reportOf({ ...record, columns, plan: { ...record.plan, scenarios } }, rows, {
    stored: [],
    judge_unaudited: true,
  });
}

/** Every fifth row is won by b, every seventh is lost, a few of them for another reason; the others have no winner. */
function tableRow(index: number): TrialRow {
  const result: Result =
    index % 700 === 7 ? "user_failure" : index % 7 === 0 ? "failed" : index % 5 === 0 ? "b" : "tie";
  const row = rowOf({ trial: index + 1, round: 1, scenario: "sums", input: inputOf(index) }, result);
  const checks = (passed: boolean) => ({ checks: { "names-it": passed, short: true } });
  const { a, b } = row.arms;
  return {
    ...row,
    input: inputOf(index),
    arms: { a: { ...a, ...checks(result === "tie") }, b: { ...b, ...checks(true) } },
  };
}

/** The server has this series: its answer leaves rows out, and pages have them. */
export async function serveTable(page: Page, series: Series): Promise<void> {
  const short = abridged(series);
  await page.route(
    ({ pathname }) => pathname === `/api/series/${SERIES_ID}`,
    (route) => route.fulfill({ json: short }),
  );
  await page.route(`**/api/series/${SERIES_ID}/members?*`, (route) => {
    const after = Number(new URL(route.request().url()).searchParams.get("after"));
    const scenarios = series.scenarios.slice(after, after + 500);
    const trials = series.trials.slice(after, after + 500);
    const next_after = after + 500 < series.scenarios.length ? after + 500 : null;
    return route.fulfill({ json: { total: series.scenarios.length, scenarios, trials, next_after } });
  });
}
