import { Type } from "@sinclair/typebox";
import { type GridRow, trialWorkOf } from "../../domain/cell.ts";
import { Contest, ContestMembers } from "../../domain/contest.ts";
import { MAX_TABLE_ARMS } from "../../domain/contest-plan.ts";
import { RESULTS_BODY_BYTES } from "../../domain/defaults.ts";
import { RunEvent } from "../../domain/event.ts";
import { MAX_NAME, TieMargin } from "../../domain/results.ts";
import { oneOf } from "../../domain/schema.ts";
import { Series, SeriesMembers } from "../../domain/series.ts";
import { SeriesListing } from "../../domain/series-listing.ts";
import { SeriesPlan } from "../../domain/series-record.ts";
import { SeriesListRequest, SeriesRequest, SeriesStarted } from "../../domain/series-request.ts";
import { BEFORE_A_RUN, endpoint, FRAMES, LISTED, newestFirst, SeriesInPath } from "./endpoint.ts";
import { EXAMPLES } from "./examples.ts";

const { series_id, trials } = EXAMPLES.series;
const [first] = trials;
/** Of the session that is shown, as if it were the first trial. */
const row: GridRow = {
  ...{ scenario: first?.scenario ?? "", trial: 1, session_id: first?.session_id ?? "" },
  ...trialWorkOf(EXAMPLES.session),
  ...{ outcome: first?.outcome ?? null, winner: EXAMPLES.series.arms.b.arm_id },
};
const scenarios = EXAMPLES.series.scenarios.map(({ scenario }) => scenario);

/** By `kind`: a contest says of more than two arms what a series says of two. */
const SeriesOrContest = Type.Union([Series, Contest]);

/** What repeats runs, and what shows what they say together. */
export const SERIES_ENDPOINTS = {
  startSeries: endpoint("POST /api/series", {
    tag: "extension",
    title: "Start a series",
    description:
      "Runs scenarios again and again in the background, until enough is known or the plan is done, and answers with its id at once. Spends model tokens. Watch it at `/api/series/{id}/stream`, read it at `/api/series/{id}`. With `continue` a series that has ended goes on: with the same scenarios, arms, judge, measure and margin; what is left out is as before.",
    body: SeriesRequest,
    requests: {
      until_sure: { scenarios, stop_when_sure: true },
      on: { scenarios, trials: 60, parallel: 2, continue: series_id },
    },
    keyed: true,
    status: 202,
    answer: "Started.",
    example: { series_id },
    output: SeriesStarted,
    failures: [...BEFORE_A_RUN, "not_allowed", "unknown_series"],
  }),
  listSeries: endpoint("GET /api/series", {
    tag: "extension",
    title: "List series",
    description:
      "Persisted series, newest first; none when the server was started without a state directory. `limit` returns a page, whose `Link` header names the next.",
    fields: SeriesListRequest,
    ...newestFirst(SeriesListing, EXAMPLES.series_row, { by: "series_id" }),
    failures: ["unknown_series", "storage_failed"],
  }),
  getSeries: endpoint("GET /api/series/:id", {
    tag: "extension",
    title: "Get a series",
    description:
      "What the trials of a series say together, also while it runs: win rate with its range, conclusion, costs, every trial. `cmp-<comparison>` is the series of all stored runs of a comparison. To ask often, send the `ETag` back as `If-None-Match`.",
    fields: Type.Object({
      ...SeriesInPath,
      by: Type.Optional(Type.String({ description: "Column of the inputs by which the rows are grouped (`groups`)." })),
    }),
    answer: "The report so far.",
    example: EXAMPLES.series,
    headers: { ETag: { description: "Changes with whatever the report is made of.", schema: { type: "string" } } },
    unchanged: "Nothing has changed since the answer with this `ETag`.",
    output: SeriesOrContest,
    failures: ["unknown_series", "storage_failed"],
  }),
  listMembers: endpoint("GET /api/series/:id/members", {
    tag: "extension",
    title: "Page the scenarios of a series",
    description:
      "Scenarios of a series, or rows of its inputs, in the order of the plan, each with its trials, and with what both arms left in one of them, cut; of a contest what each arm left in one round. For series of which `/api/series/{id}` leaves some out (`omitted`).",
    fields: Type.Object({
      ...SeriesInPath,
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LISTED, description: `Default ${LISTED}.` })),
      after: Type.Optional(Type.Integer({ minimum: 0, description: "Skip this many. Default 0." })),
      order: Type.Optional(
        oneOf(["plan", "differs"], {
          description:
            "`differs`: those first in which the candidate is behind, or arms of a contest differ. Default `plan`.",
        }),
      ),
      blind: Type.Optional(
        Type.Boolean({ description: "Leave out why checks failed, for a reader who is to vote. Default false." }),
      ),
    }),
    answer: "A page.",
    example: {
      total: EXAMPLES.series.scenarios.length,
      scenarios: EXAMPLES.series.scenarios,
      rows: [row],
      trials,
      next_after: null,
    },
    output: Type.Union([SeriesMembers, ContestMembers]),
    failures: ["unknown_series", "storage_failed"],
  }),
  streamSeries: endpoint("GET /api/series/:id/stream", {
    tag: "extension",
    title: "Watch a series",
    description:
      "Server-sent events of all runs of a series, interleaved, each with its `session_id`: those in flight from their start, then those that come. Runs that ended before are read with the series. Ends with the series; by then it can be read. `verdict.series` of each `verdict_ready` says where the series stands.",
    fields: Type.Object(SeriesInPath),
    ...FRAMES,
    output: RunEvent,
    failures: ["not_live", "overloaded"],
  }),
  cancelSeries: endpoint("DELETE /api/series/:id", {
    tag: "extension",
    title: "Cancel a series",
    description: "Stops the runs in flight and starts no other. The series keeps what there is, and can be continued.",
    fields: Type.Object(SeriesInPath),
    status: 202,
    answer: "The series is stopping.",
    example: { series_id },
    output: SeriesStarted,
    failures: ["unknown_series", "series_not_running", "storage_failed"],
  }),
  importResults: endpoint("POST /api/series/results", {
    tag: "extension",
    title: "Compare results of runs made elsewhere",
    description: `What a table of results shows, as a series, of three to 32 arms as a contest: one row for each run with \`scenario\`, \`trial\`, \`arm\`, and \`passed\` or \`score\`. Runs nothing and asks no judge. It is stored under its id, \`results-<digest>\`, and the same table is one series. The body is the table, of at most ${RESULTS_BODY_BYTES} bytes: \`text/csv\`, or \`application/x-ndjson\` with an object on each line. A larger one is read by \`abeval results\`.`,
    fields: Type.Object({
      arms: Type.Optional(
        Type.String({
          maxLength: MAX_TABLE_ARMS * (MAX_NAME + 2),
          description: "Two to 32 names, with commas between them: a, then b. Left out: all arms of the table.",
        }),
      ),
      best: Type.Optional(
        Type.Boolean({ description: "Of more than two arms: compare each with each. Default: each with the control." }),
      ),
      control: Type.Optional(
        Type.String({
          maxLength: MAX_NAME,
          description: "Of more than two arms: the one that the others are compared with.",
        }),
      ),
      fdr: Type.Optional(
        Type.Boolean({
          description: "Of more than two arms: also tell what holds where 5% of all claims may be false.",
        }),
      ),
      tie_margin: Type.Optional(TieMargin),
      margin: Type.Optional(SeriesPlan.properties.margin),
      not_worse_by: SeriesPlan.properties.not_worse_by,
      by: Type.Optional(Type.String({ description: "Group the scenarios by this column (`groups`)." })),
      cluster: SeriesRequest.properties.cluster,
    }),
    body: Type.Object({ text: Type.String(), form: oneOf(["csv", "jsonl"]) }),
    table: {
      "text/csv": {
        schema: { type: "string" },
        example: "scenario,trial,arm,passed\nsort-dates,1,candidate,true\nsort-dates,1,baseline,false\n",
      },
      "application/x-ndjson": {
        schema: { type: "string" },
        example: '{"scenario":"sort-dates","trial":1,"arm":"candidate","score":0.9}\n',
      },
    },
    answer: "What the table shows.",
    example: EXAMPLES.series,
    output: SeriesOrContest,
    failures: [],
  }),
};
