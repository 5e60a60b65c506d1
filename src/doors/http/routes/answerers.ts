import type { Context } from "elysia";
import { Failure } from "../../../domain/failure.ts";
import { sha256 } from "../../../domain/sha256.ts";
import type { EndpointName, RequestOf } from "../../endpoint/endpoints.ts";
import { findSeries } from "../../operation/find-series.ts";
import { followRun } from "../../operation/follow-run.ts";
import { followSeries } from "../../operation/follow-series.ts";
import { definitionOf, demandIntake } from "../../operation/intake.ts";
import type { Requester, Services } from "../../operation/operation.ts";
import { pngOf } from "../../operation/pictures.ts";
import { getReadiness } from "../../operation/reads.ts";
import {
  exportTrajectory,
  type ReportFile,
  reportSeries,
  reportSession,
  seriesDrawing,
  sessionDrawing,
} from "../../operation/reports.ts";
import { demandInFlight } from "../../operation/runs.ts";
import { abridgedReport, demandSeriesInFlight } from "../../operation/series.ts";
import type { AtWork } from "../at-work.ts";
import { isKnown } from "../compress.ts";
import { EVENT_STREAM_HEADERS, type EventStreams } from "../event-stream.ts";
import type { Metrics } from "../metrics.ts";
import { docsPage } from "../openapi/api-docs.ts";
import { documentOf } from "../openapi/openapi.ts";

export interface RouteContext {
  readonly services: Services;
  /** Who asks. @throws Failure for headers that cannot be read */
  readonly requesterOf: (call: Pick<Call, "request" | "body">) => Requester;
  readonly streams: EventStreams;
  readonly at_work: AtWork;
  readonly metrics: Metrics;
  /** Fires when the server is no longer ready. */
  readonly leaving: AbortSignal;
  /** Fires when the server gives up what still works. */
  readonly abandoned: AbortSignal;
}

/** A request that was read and fits the schemas of its endpoint. */
export interface Call extends Pick<Context, "server" | "request" | "set"> {
  readonly params: object;
  readonly query: object;
  readonly body: unknown;
}

/** Answers an endpoint whose answer is more than what an operation gives. */
export type Answerer<Name extends EndpointName> = (
  context: RouteContext,
  asked: RequestOf<Name>,
  call: Call,
) => unknown;

/** Seconds a connection may be silent, so that a stalled body does not stay for ever. */
export const IDLE_TIMEOUT_S = 30;

/** What is answered by hand: streams, files, and what has headers of its own. */
export const ANSWERERS = {
  async getReadiness({ services, leaving }) {
    leaving.throwIfAborted();
    return await getReadiness(services);
  },
  async streamRun({ services, streams }, { id, ids }, call) {
    await demandInFlight(services, id);
    const after = call.request.headers.get("last-event-id") ?? undefined;
    return stream(call, (idleTimeout) => {
      const options = { after, ids: after !== undefined || ids === "1", idleTimeout };
      return streams.open(id, (signal) => followRun(services.store, id, signal, services.runs.live(id)?.done), options);
    });
  },
  async streamSeries({ services, streams }, { id }, call) {
    const series = await demandSeriesInFlight(services, id, call.request.signal);
    return stream(call, (idleTimeout) =>
      streams.openAlone((signal) => followSeries(services.store, series, signal), { idleTimeout }),
    );
  },
  async getSeries({ services }, { id, by }, { request, set }) {
    const { version, report } = await findSeries(services, id, by);
    const headers = { etag: `W/"${version}"`, "cache-control": "no-cache" };
    if (isKnown(request, headers.etag)) return new Response(null, { status: 304, headers });
    Object.assign(set.headers, headers);
    return abridgedReport(await report());
  },
  reportSession: async ({ services, abandoned }, asked) => attached(await reportSession(services, asked, abandoned)),
  reportSeries: async ({ services, abandoned }, asked) => attached(await reportSeries(services, asked, abandoned)),
  exportTrajectory: async ({ services, abandoned }, asked) =>
    pieceByPiece(await exportTrajectory(services, asked, abandoned)),
  sessionCardSvg: async ({ services, abandoned }, asked, { request }) =>
    await picture(request, "svg", await sessionDrawing(services, asked, abandoned)),
  sessionCardPng: async ({ services, abandoned }, asked, { request }) =>
    await picture(request, "png", await sessionDrawing(services, asked, abandoned)),
  seriesCardSvg: async ({ services, abandoned }, asked, { request }) =>
    await picture(request, "svg", await seriesDrawing(services, asked, abandoned)),
  seriesCardPng: async ({ services, abandoned }, asked, { request }) =>
    await picture(request, "png", await seriesDrawing(services, asked, abandoned)),
  async keepScenario({ services }, asked, { request, set }) {
    const intake = demandIntake(services);
    const definition = definitionOf(asked);
    const { version } = await intake.keep(definition, expectedOf(request));
    set.headers["etag"] = `"${version}"`;
    return { name: definition.name };
  },
  async readScenarioSource({ services }, { name }, { request }) {
    const { text, version } = await demandIntake(services).source(name);
    const headers = { "content-type": "application/yaml;charset=utf-8", etag: `"${version}"`, ...INERT };
    if (isKnown(request, headers.etag)) return new Response(null, { status: 304, headers });
    return new Response(text, { headers });
  },
  async readMetrics({ services, metrics }) {
    const { type, text } = await metrics.text(services);
    return new Response(text, { headers: { "content-type": type, "cache-control": "no-store" } });
  },
  getDocs: ({ services }, _asked, { set }) => docsPage(services.version, set),
  getOpenApi: ({ services }) => documentOf(services.version),
} satisfies { readonly [Name in EndpointName]?: Answerer<Name> };

function stream({ request, server }: Call, open: (idleTimeout: (seconds: number) => void) => Response): Response {
  if (request.method === "HEAD") return new Response(null, { headers: EVENT_STREAM_HEADERS });
  server?.timeout(request, 0);
  return open((seconds) => server?.timeout(request, seconds));
}

/** An arm wrote parts of it: nothing in it runs or loads in the service's origin. */
const INERT = {
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  "x-content-type-options": "nosniff",
};

/** The file is downloaded and never shown in the service's origin. */
/** The version that a request replaces; null: there must be none. @throws Failure `precondition_required` */
function expectedOf({ headers }: Request): string | null {
  const [none, match] = [headers.get("if-none-match"), headers.get("if-match")];
  if (none?.trim() === "*" && match === null) return null;
  const [, version] = /^\s*"([0-9a-f]+)"\s*$/.exec(match ?? "") ?? [];
  if (none === null && version !== undefined) return version;
  throw new Failure(
    "precondition_required",
    'say what it changes: If-None-Match: * for a new scenario, or If-Match: "<ETag of its source>" for one that is replaced',
  );
}

const attached = ({ name, media_type, text }: ReportFile): Response =>
  new Response(text, {
    headers: { "content-type": media_type, "content-disposition": `attachment; filename="${name}"`, ...INERT },
  });

const MEDIA_TYPES = { svg: "image/svg+xml;charset=utf-8", png: "image/png" } as const;

/** A drawing of a result, which a page or a pull request may show as an image. */
async function picture(request: Request, format: "svg" | "png", svg: string): Promise<Response> {
  const digest = sha256(svg);
  const headers = {
    "content-type": MEDIA_TYPES[format],
    ...INERT,
    // Kept by whoever shows it, and asked for again: a rejudged session has another picture.
    "cache-control": "no-cache",
    etag: `"${digest}"`,
  };
  if (isKnown(request, headers.etag)) return new Response(null, { status: 304, headers });
  const drawn = format === "svg" ? svg : await pngOf(svg, digest, request.signal);
  return new Response(drawn as string | Uint8Array<ArrayBuffer>, { headers }); // made here, in memory of its own
}

/** JSON whose next pieces are made when the client has taken those before. */
function pieceByPiece(pieces: AsyncGenerator<string>): Response {
  const encoder = new TextEncoder();
  const stream = new ReadableStream({
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
  return new Response(stream, { headers: { "content-type": "application/json;charset=utf-8" } });
}

const PIECE_CHARS = 64 * 1024;
