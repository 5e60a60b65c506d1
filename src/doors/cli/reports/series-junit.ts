import type { Series } from "../../../domain/series.ts";
import { trialResult } from "../../../domain/trial-result.ts";
import { namesOf } from "../../report/series-words.ts";
import { attributes, junitXml, type Suite, seconds, xmlText } from "./junit-xml.ts";

/**
 * The series as JUnit XML: a suite for what the trials say together, and one for each scenario with a case for each trial. A
 * case is in error when its trial gave nothing, or the series failed. Who won is neither a pass nor a fail. The time of a trial
 * is that of its slower arm.
 */
export function seriesJunit(series: Series): string {
  const { created_at, scenarios } = series;
  const wall_ms = wallOf(series);
  return junitXml([
    { name: "abeval series", cases: [seriesCase(series)], timestamp: created_at, wall_ms },
    ...scenarios.map(({ scenario }) => scenarioSuite(series, scenario)),
  ]);
}

const wallOf = ({ created_at, finished_at }: Series) =>
  created_at === null || finished_at === null ? null : Date.parse(finished_at) - Date.parse(created_at);

function seriesCase(series: Series): string {
  const { series_id, state, stop, failure, statement } = series;
  const name = attributes({ classname: series_id, name: "conclusion", time: seconds(wallOf(series)) });
  const error =
    state === "failed"
      ? `<error ${attributes({ type: stop ?? state, message: failure ?? "the series failed" })}/>`
      : "";
  return `<testcase ${name}>${error}<system-out>${xmlText(statement)}</system-out></testcase>`;
}

function scenarioSuite(series: Series, scenario: string): Suite {
  const trials = series.trials.filter((trial) => trial.scenario === scenario);
  const cases = trials.map((trial) => trialCase(trial, series.arms));
  const wall_ms = trials.reduce((sum, { arms_ms }) => sum + (arms_ms ?? 0), 0);
  return { name: `abeval ${scenario}`, cases, timestamp: null, wall_ms };
}

function trialCase(trial: Series["trials"][number], arms: Series["arms"]): string {
  const { scenario, trial: number, d, failure, session_id, arms_ms } = trial;
  const name = attributes({ classname: scenario, name: `trial ${number}`, time: seconds(arms_ms) });
  const text = trialResult(trial, namesOf(arms));
  const type = trial.outcome ?? trial.state;
  const error = d === null ? `<error ${attributes({ type, message: failure ?? text })}/>` : "";
  return `<testcase ${name}>${error}<system-out>${xmlText(`${text} (${session_id})`)}</system-out></testcase>`;
}
