import { type Static, Type } from "@sinclair/typebox";
import { ContestPlan } from "./contest-plan.ts";
import { JudgeModel, MAX_PAGE, RunRequest, ScenarioDefinition } from "./request.ts";
import { oneOf, record, Slug } from "./schema.ts";
import { StoredSeriesId } from "./series-listing.ts";
import {
  MAX_SCENARIOS,
  MaxCost,
  SERIES_MEASURES,
  SERIES_STATES,
  SeriesLimits,
  SeriesPlan,
  SeriesRecord,
} from "./series-record.ts";
import { SeriesId } from "./session.ts";

export const SeriesRequest = record("SeriesRequest", {
  scenarios: Type.Array(Slug(), {
    minItems: 1,
    maxItems: MAX_SCENARIOS,
    uniqueItems: true,
    description: "Scenario names.",
  }),
  definitions: Type.Optional(
    Type.Array(ScenarioDefinition, {
      minItems: 1,
      maxItems: 100,
      description: "Scenarios that are sent; each is one of `scenarios`.",
    }),
  ),
  trials: Type.Optional(SeriesLimits.properties.trials),
  stop_when_sure: Type.Optional(Type.Boolean({ description: "Stop as soon as more trials would change nothing." })),
  stop_at: Type.Optional({
    ...SeriesLimits.properties.stop_at,
    description: "What it stops at with `stop_when_sure`.",
  }),
  parallel: Type.Optional(SeriesLimits.properties.parallel),
  max_cost_usd: Type.Optional(MaxCost),
  margin: Type.Optional(SeriesPlan.properties.margin),
  measure: Type.Optional(
    oneOf(SERIES_MEASURES, {
      description:
        "What a trial is measured by; without judged criteria the default is `solved` where every scenario has required checks, else `score` where each has a check that gives a number; else `preferred`.",
    }),
  ),
  not_worse_by: SeriesPlan.properties.not_worse_by,
  cluster: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: "Column: rows with one value count as their mean.",
    }),
  ),
  control: SeriesRecord.properties.control,
  contest: Type.Optional(
    record(
      "ContestRequest",
      {
        mode: Type.Optional(ContestPlan.properties.mode),
        control: Type.Optional(Slug({ description: "Id of the arm that the others are compared with." })),
        keep_running: Type.Optional(
          Type.Boolean({ description: "Arms go on that are out, or about which enough is known." }),
        ),
        fdr: Type.Optional(
          Type.Boolean({ description: "Tell also what holds where 5% of all claims may be false; no gate reads it." }),
        ),
      },
      { description: "How more than two arms are compared; default: each candidate with the control." },
    ),
  ),
  judge_model: Type.Optional(JudgeModel),
  model_override: RunRequest.properties.model_override,
  seed: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: "Weighted scripts are chosen by it." })),
  baseline: Type.Optional({
    ...SeriesId,
    description: "A stored series whose runs stand in for the arm that did not change.",
  }),
  continue: Type.Optional({ ...SeriesId, description: "The series to continue; the plan must be the same." }),
});
export type SeriesRequest = Static<typeof SeriesRequest>;

export const SeriesStarted = record("SeriesStarted", { series_id: SeriesId });
export type SeriesStarted = Static<typeof SeriesStarted>;

export const SeriesListRequest = record("SeriesListRequest", {
  scenario: Type.Optional(Slug({ description: "Only series with this scenario." })),
  state: Type.Optional(oneOf(SERIES_STATES, { description: "Only series in this state." })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE, description: "The most rows to return." })),
  before: Type.Optional({ ...StoredSeriesId, description: "Only series older than this one." }),
});
export type SeriesListRequest = Static<typeof SeriesListRequest>;
