import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  type ReportFile,
  reportSeries,
  reportSession,
  SeriesReportQuery,
  SessionReportQuery,
} from "../../operation/reports.ts";
import { about, failures } from "../openapi/describe.ts";
import { EXAMPLES } from "../openapi/examples.ts";
import { type RouteContext, refuseTwice, SessionInPath } from "./query.ts";

/** Routes that send reports as files. */
export const reportRoutes = ({ services, abandoned }: RouteContext) =>
  new Elysia({ name: "report-routes" })
    .get(
      "/api/sessions/:id/report",
      async ({ params: { id }, query }) =>
        sent(await reportSession.run(services, { session_id: id, ...query }, abandoned)),
      {
        transform: refuseTwice,
        params: SessionInPath,
        query: SessionReportQuery,
        detail: {
          ...about(reportSession, "extension"),
          responses: { 200: FILE, ...failures("invalid_request", "unknown_session", "unknown_arm", "storage_failed") },
        },
      },
    )
    .get(
      "/api/series/:id/report",
      async ({ params: { id }, query }) =>
        sent(await reportSeries.run(services, { series_id: id, ...query }, abandoned)),
      {
        transform: refuseTwice,
        params: Type.Object({ id: Type.String({ description: "Series id.", examples: [EXAMPLES.series.series_id] }) }),
        query: SeriesReportQuery,
        detail: {
          ...about(reportSeries, "extension"),
          responses: { 200: FILE, ...failures("invalid_request", "unknown_series", "storage_failed") },
        },
      },
    );

const FILE = {
  description: "The file, as an attachment.",
  content: {
    "text/html": { schema: { type: "string" as const }, example: "<!doctype html>" },
    "text/markdown": { schema: { type: "string" as const }, example: "## abeval: pager-last-page" },
  },
};

/** The file is downloaded and never shown in the service's origin, because an arm wrote parts of it. */
const sent = ({ name, media_type, text }: ReportFile): Response =>
  new Response(text, {
    headers: {
      "content-type": media_type,
      "content-disposition": `attachment; filename="${name}"`,
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      "x-content-type-options": "nosniff",
    },
  });
