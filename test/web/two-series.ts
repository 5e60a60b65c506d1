import type { Page } from "playwright-core";
import type { Series } from "../../src/domain/series.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { sha256 } from "../../src/domain/sha256.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { reportOf } from "../../src/statistics/report.ts";
import { anArm, aScenario } from "../outcomes.ts";
import { type Planned, type Result, rowOf, seriesOf } from "../statistics/series.ts";

/** A series of its own id, as the server tells it. */
export interface Told extends Planned {
  readonly id: string;
  /** Of every scenario. */
  readonly results: readonly Result[];
  /** What its scenarios are defined by: equal for equal definitions. */
  readonly definition?: string;
  /** Names the sessions; those of one name are the same in two series. */
  readonly day?: string;
  readonly prompt?: string;
}

export const FIRST = "series-20260101T000000000Z-00000001";
export const SECOND = "series-20260108T000000000Z-00000002";

/** Each trial costs $0.31 and $0.40 or so, and the judge half a dollar. */
export async function tellingSeries(told: Told): Promise<Series> {
  const { id, results, definition = "", day = id.slice(7, 15), ...planned } = told;
  const record = seriesOf(planned);
  const { judge_model } = record.plan;
  const named = (scenario: string) => sha256(`${scenario} ${definition}`);
  const comparison = (scenario: string) => sha256(`${scenario} ${definition} ${judge_model}`);
  const scenarios = record.plan.scenarios.map((each) => ({
    ...each,
    ...{ digest: named(each.scenario), comparison: comparison(each.scenario) },
  }));
  const rows = scenarios.flatMap(({ scenario }, place) =>
    results.map((result, index) => {
      const row = rowOf({ trial: index * scenarios.length + place + 1, round: index + 1, scenario }, result);
      const session_id = row.session_id.replace("20260101", day);
      return {
        ...row,
        session_id,
        comparison: comparison(scenario),
        place: row.place && { ...row.place, series_id: id },
      };
    }),
  );
  const series = { ...record, series_id: id, plan: { ...record.plan, scenarios } };
  return await reportOf(series, rows, { stored: [], judge_unaudited: false });
}

/** A trial of such a series. */
export function tellingTrial({ judge_model = "J", prompt = "Fix the bug." }: Told): SessionOutcome {
  const arms: SessionOutcome["definition"]["arms"] = [anArm("candidate", { system_prompt: prompt }), anArm("baseline")];
  const { arms: summaries, verdict } = EXAMPLES.session;
  const [a, b] = summaries;
  return {
    ...EXAMPLES.session,
    definition: aScenario({ arms }),
    arms: [
      { ...a, arm_id: arms[0].id },
      { ...b, arm_id: arms[1].id },
    ],
    verdict: verdict && {
      ...verdict,
      judge: { ...verdict.judge, model: judge_model, prompt_digest: sha256(judge_model) },
    },
  };
}

/** The page gets these two from the server, and opens their comparison. */
export async function openBoth(page: Page, first: Told, second: Told): Promise<void> {
  for (const told of [first, second]) {
    const [series, trial] = [await tellingSeries(told), tellingTrial(told)];
    await page.route(`**/api/series/${told.id}`, (route) => route.fulfill({ json: series }));
    for (const { session_id } of series.trials.slice(0, 3))
      await page.route(`**/api/sessions/${session_id}`, (route) => route.fulfill({ json: { ...trial, session_id } }));
  }
  await page.goto(`/series/compare?a=${first.id}&b=${second.id}`);
  await page.getByText("The same in both").waitFor();
}
