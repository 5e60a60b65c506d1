import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { sha256 } from "../../../domain/sha256.ts";
import { pngOf } from "../../operation/pictures.ts";
import { SessionCardQuery, seriesCardFile, sessionCard } from "../../operation/reports.ts";
import { isKnown } from "../compress.ts";
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
      async ({ params: { id }, query, request }) =>
        await sent(request, format, await sessionCard.run(services, { session_id: id, ...query }, abandoned)),
      {
        transform: refuseTwice,
        params: SessionInPath,
        query: SessionCardQuery,
        detail: {
          ...named(sessionCard, format),
          responses: {
            200: PICTURES[format],
            304: NOT_CHANGED,
            ...failures("invalid_request", "unknown_session", "unknown_arm", "storage_failed", ...BUSY[format]),
          },
        },
      },
    );
    routes.get(
      `/api/series/:id/card.${format}`,
      async ({ params: { id }, request }) =>
        await sent(request, format, await seriesCardFile.run(services, { series_id: id }, abandoned)),
      {
        transform: refuseTwice,
        params: SeriesInPath,
        detail: {
          ...named(seriesCardFile, format),
          responses: {
            200: PICTURES[format],
            304: NOT_CHANGED,
            ...failures("invalid_request", "unknown_series", "storage_failed", ...BUSY[format]),
          },
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

const NOT_CHANGED = {
  description: "The picture is the one whose `ETag` the request names in `If-None-Match`.",
  content: {},
};

/** A PNG is made for whoever asks first. */
const BUSY = { svg: [], png: ["overloaded"] } as const;

const MEDIA_TYPES = { svg: "image/svg+xml;charset=utf-8", png: "image/png" } as const;

/** Names in it are those of a scenario's author: it may be shown, and nothing in it runs or loads. */
async function sent(request: Request, format: Format, { svg }: { readonly svg: string }): Promise<Response> {
  const digest = sha256(svg);
  const headers = {
    "content-type": MEDIA_TYPES[format],
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "x-content-type-options": "nosniff",
    // Kept by whoever shows it, and asked for again: a rejudged session has another picture.
    "cache-control": "no-cache",
    etag: `"${digest}"`,
  };
  if (isKnown(request, headers.etag)) return new Response(null, { status: 304, headers });
  const picture = format === "svg" ? svg : await pngOf(svg, digest, request.signal);
  return new Response(picture as string | Uint8Array<ArrayBuffer>, { headers }); // made here, in memory of its own
}
