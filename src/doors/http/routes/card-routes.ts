import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { SessionCardQuery, seriesCardFile, sessionCard } from "../../operation/reports.ts";
import { about, failures } from "../openapi/describe.ts";
import { EXAMPLES } from "../openapi/examples.ts";
import { type RouteContext, refuseTwice, SessionInPath } from "./query.ts";

const FORMATS = ["svg", "png"] as const;
type Format = (typeof FORMATS)[number];

const SeriesInPath = Type.Object({
  id: Type.String({ description: "Series id.", examples: [EXAMPLES.series.series_id] }),
});

/** Pictures of results. A page or a pull request may show them as images. */
export function cardRoutes({ services, abandoned }: RouteContext) {
  const routes = new Elysia({ name: "card-routes" });
  for (const format of FORMATS) {
    routes.get(
      `/api/sessions/:id/card.${format}`,
      async ({ params: { id }, query }) =>
        sent(await sessionCard.run(services, { session_id: id, format, ...query }, abandoned)),
      {
        transform: refuseTwice,
        params: SessionInPath,
        query: SessionCardQuery,
        detail: {
          ...named(sessionCard, format),
          responses: {
            200: PICTURES[format],
            ...failures("invalid_request", "unknown_session", "unknown_arm", "storage_failed"),
          },
        },
      },
    );
    routes.get(
      `/api/series/:id/card.${format}`,
      async ({ params: { id } }) => sent(await seriesCardFile.run(services, { series_id: id, format }, abandoned)),
      {
        transform: refuseTwice,
        params: SeriesInPath,
        detail: {
          ...named(seriesCardFile, format),
          responses: { 200: PICTURES[format], ...failures("invalid_request", "unknown_series", "storage_failed") },
        },
      },
    );
  }
  return routes;
}

/** One operation is two routes, and each has an id of its own. */
function named(of: typeof sessionCard | typeof seriesCardFile, format: Format) {
  const { operationId, ...said } = about(of, "extension");
  return { ...said, operationId: `${operationId}${format === "svg" ? "Svg" : "Png"}` };
}

const PICTURES = {
  svg: {
    description: "The picture as SVG.",
    content: { "image/svg+xml": { schema: { type: "string" as const }, example: "<svg></svg>" } },
  },
  png: {
    description: "The picture as PNG.",
    content: { "image/png": { schema: { type: "string" as const, description: "Its bytes." }, example: "" } },
  },
};

type Picture = Awaited<ReturnType<typeof sessionCard.run>>;

/** Names in it are those of a scenario's author: it may be shown, and nothing in it runs or loads. */
const sent = ({ media_type, bytes }: Picture): Response =>
  new Response(bytes as Uint8Array<ArrayBuffer>, {
    // made here, in memory of its own
    headers: {
      "content-type": media_type,
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      "x-content-type-options": "nosniff",
    },
  });
