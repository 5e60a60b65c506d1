import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { RunEvent } from "../../../domain/event.ts";
import { SeriesListRequest, SeriesRequest, SeriesStarted } from "../../../domain/series-request.ts";
import { findSeries } from "../../operation/find-series.ts";
import { followSeries } from "../../operation/follow-series.ts";
import {
  abridged,
  cancelSeries,
  demandSeriesInFlight,
  getSeries,
  listMembers,
  listSeries,
  startSeries,
} from "../../operation/series.ts";
import { isKnown } from "../compress.ts";
import { about, answer, body, failures, frames } from "../openapi/describe.ts";
import { EXAMPLES } from "../openapi/examples.ts";
import { KEY_PARAMETER } from "../requester.ts";
import { EVENT_STREAM_HEADERS } from "../stream/event-stream.ts";
import { integer, LINK_HEADERS, paged, type RouteContext, refuseTwice } from "./query.ts";
import { BEFORE_A_RUN } from "./run-routes.ts";

/** Routes of series, which repeat runs. */
export const seriesRoutes = ({ services, streams, abandoned, requesterOf }: RouteContext) =>
  new Elysia({ name: "series-routes" })
    .post(
      "/api/series",
      (call) => {
        call.set.status = 202;
        return startSeries.run(services, call.body, abandoned, requesterOf(call));
      },
      {
        body: SeriesRequest,
        response: { 202: startSeries.output },
        detail: {
          ...about(
            startSeries,
            "extension",
            `Watch it at \`/api/series/{id}/stream\`, read it at \`/api/series/{id}\`. With \`continue\` a series that has ended goes on: with the same scenarios, arms, judge and margin; what is left out is as before.`,
          ),
          parameters: [KEY_PARAMETER],
          requestBody: body({
            until_sure: { scenarios: EXAMPLES.series.scenarios.map(({ scenario }) => scenario), stop_when_sure: true },
            on: {
              scenarios: EXAMPLES.series.scenarios.map(({ scenario }) => scenario),
              trials: 60,
              parallel: 2,
              continue: EXAMPLES.series.series_id,
            },
          }),
          responses: {
            202: answer("Started.", { series_id: EXAMPLES.series.series_id }),
            ...failures(...BEFORE_A_RUN, "unknown_series"),
          },
        },
      },
    )
    .get(
      "/api/series",
      ({ query, request, set }) =>
        paged({
          ...{ query, request, set },
          rows: (asked) => listSeries.run(services, asked, abandoned),
          idOf: ({ series_id }) => series_id,
        }),
      {
        transform: [refuseTwice, integer("limit")],
        query: SeriesListRequest,
        response: listSeries.output,
        detail: {
          ...about(listSeries, "extension"),
          description:
            "Persisted series, newest first; none when the server was started without a state directory. `limit` returns a page, whose `Link` header names the next.",
          responses: {
            200: { ...answer("Newest first.", [EXAMPLES.series_row]), headers: LINK_HEADERS },
            ...failures("invalid_request", "unknown_series", "storage_failed"),
          },
        },
      },
    )
    .get(
      "/api/series/:id",
      async ({ params: { id }, query: { by }, request, set }) => {
        const { version, report } = await findSeries(services, id, by);
        const headers = { etag: `W/"${version}"`, "cache-control": "no-cache" };
        if (isKnown(request, headers.etag)) return new Response(null, { status: 304, headers }) as never; // as in the document
        Object.assign(set.headers, headers);
        return abridged(await report());
      },
      {
        transform: refuseTwice,
        params: SeriesInPath,
        query: Type.Pick(getSeries.input, ["by"]),
        response: getSeries.output,
        detail: {
          ...about(getSeries, "extension", "To ask often, send the `ETag` back as `If-None-Match`."),
          responses: {
            200: {
              ...answer("The report so far.", EXAMPLES.series),
              headers: {
                ETag: {
                  description: "Changes with whatever the report is made of.",
                  schema: { type: "string" },
                },
              },
            },
            304: { description: "Nothing has changed since the answer with this `ETag`.", content: {} },
            ...failures("invalid_request", "unknown_series", "storage_failed"),
          },
        },
      },
    )
    .get(
      "/api/series/:id/members",
      ({ params: { id }, query }) => listMembers.run(services, { ...query, series_id: id }, abandoned),
      {
        transform: [refuseTwice, integer("limit"), integer("after")],
        params: SeriesInPath,
        query: Type.Omit(listMembers.input, ["series_id"]),
        response: listMembers.output,
        detail: {
          ...about(listMembers, "extension", "For series of which `/api/series/{id}` leaves some out (`omitted`)."),
          responses: {
            200: answer("A page.", {
              total: EXAMPLES.series.scenarios.length,
              scenarios: EXAMPLES.series.scenarios,
              trials: EXAMPLES.series.trials,
              next_after: null,
            }),
            ...failures("invalid_request", "unknown_series", "storage_failed"),
          },
        },
      },
    )
    .get(
      "/api/series/:id/stream",
      async ({ params: { id }, request, server }) => {
        const series = await demandSeriesInFlight(services, id, request.signal);
        if (request.method === "HEAD") return new Response(null, { headers: EVENT_STREAM_HEADERS });
        server?.timeout(request, 0);
        return streams.openAlone((signal) => followSeries(services.store, series, signal), {
          idleTimeout: (seconds) => server?.timeout(request, seconds),
        });
      },
      {
        params: SeriesInPath,
        // The schema describes each frame.
        response: RunEvent,
        detail: {
          operationId: "streamSeries",
          tags: ["extension"],
          summary: "Watch a series",
          description:
            "Server-sent events of all runs of a series, interleaved, each with its `session_id`: those in flight from their start, then those that come. Runs that ended before are read with the series. Ends with the series; by then it can be read. `verdict.series` of each `verdict_ready` says where the series stands.",
          responses: {
            200: frames(EXAMPLES.events),
            ...failures("not_live", "overloaded"),
          },
        },
      },
    )
    .delete(
      "/api/series/:id",
      ({ params, set }) => {
        set.status = 202;
        return cancelSeries(services, params.id);
      },
      {
        params: SeriesInPath,
        response: { 202: SeriesStarted },
        detail: {
          operationId: "cancelSeries",
          tags: ["extension"],
          summary: "Cancel a series",
          description:
            "Stops the runs in flight and starts no other. The series keeps what there is, and can be continued.",
          responses: {
            202: answer("The series is stopping.", { series_id: EXAMPLES.series.series_id }),
            ...failures("unknown_series", "series_not_running", "storage_failed"),
          },
        },
      },
    );

const SeriesInPath = Type.Object({
  id: Type.String({ description: "Series id.", examples: [EXAMPLES.series.series_id] }),
});
