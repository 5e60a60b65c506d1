import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { Trajectory } from "../../../domain/atif.ts";
import {
  type ReportFile,
  reportSeries,
  reportSession,
  SeriesReportQuery,
  SessionReportQuery,
} from "../../operation/reports.ts";
import { exportTrajectory, trajectoryOf } from "../../operation/trajectory.ts";
import { about, answer, failures } from "../openapi/describe.ts";
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
      "/api/sessions/:id/trajectory",
      async ({ params: { id }, query: { arm_id } }) => {
        const pieces = await exportTrajectory.run(services, { session_id: id, arm_id }, abandoned);
        return new Response(streamOf(pieces), { headers: { "content-type": "application/json;charset=utf-8" } });
      },
      {
        transform: refuseTwice,
        params: SessionInPath,
        query: Type.Object({ arm_id: Type.String({ description: "Arm id.", examples: [EXAMPLE_ARM.arm_id] }) }),
        detail: {
          ...about(exportTrajectory, "extension", "Texts, inputs and outputs are cut as in the session."),
          responses: {
            200: answer(
              "The trajectory.",
              trajectoryOf(EXAMPLES.session, EXAMPLE_ARM, EXAMPLES.session.version),
              Trajectory,
            ),
            ...failures("invalid_request", "unknown_session", "unknown_arm", "storage_failed"),
          },
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

const [EXAMPLE_ARM] = EXAMPLES.session.arms;

/** The next pieces are made when the client has taken those before. */
function streamOf(pieces: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      let text = "";
      while (text.length < PIECE_CHARS) {
        const next = await pieces.next();
        if (next.done) {
          if (text !== "") controller.enqueue(encoder.encode(text));
          controller.close();
          return;
        }
        text += next.value;
      }
      controller.enqueue(encoder.encode(text));
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}

const PIECE_CHARS = 64 * 1024;

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
