import { cors } from "@elysiajs/cors";
import { Elysia } from "elysia";
import { Failure } from "../../domain/failure.ts";
import { getHealth } from "../operation/health.ts";
import type { Services } from "../operation/operation.ts";
import { sendJson } from "./compress.ts";
import { answerError, UnreadableRequest } from "./error.ts";
import { apiDocs, openApiRoute } from "./openapi/api-docs.ts";
import type { ApiRoute } from "./openapi/openapi.ts";
import { readJson } from "./read-json.ts";
import { type LogRequest, requestLog } from "./request-log.ts";
import { judgeRoutes } from "./routes/judge-routes.ts";
import { readRoutes } from "./routes/read-routes.ts";
import { reportRoutes } from "./routes/report-routes.ts";
import { runRoutes } from "./routes/run-routes.ts";
import { seriesRoutes } from "./routes/series-routes.ts";
import type { StreamTimes } from "./stream/event-feed.ts";
import { EventStreams } from "./stream/event-stream.ts";
import type { WebUi } from "./web-ui.ts";

export interface AppOptions {
  /** Absent: requests are not logged. */
  readonly log?: LogRequest;
  readonly pace?: Partial<StreamTimes>;
  /** Throw for what is not answered. Absent: everything is. */
  readonly hosts?: (request: Request) => void;
  readonly origins?: (request: Request) => void;
  readonly web_ui?: WebUi;
  /** Fires when the server takes no new work. */
  readonly stopping?: AbortSignal;
  /** Fires when it gives up what still works: rejudges and diagnoses. Runs have signals of their own. */
  readonly abandoned?: AbortSignal;
}

export type HttpApp = ReturnType<typeof createApp>;

/** The HTTP service: the endpoints of the interface, ours, and the web UI when there is one. */
export function createApp(services: Services, options: AppOptions = {}) {
  const { hosts, origins, stopping = NEVER, abandoned = NEVER } = options;
  const context = { services, streams: new EventStreams(options.pace), abandoned };
  const routes = (): readonly ApiRoute[] => app.routes;
  const app = new Elysia({
    // Unknown fields are refused; the default drops them, and a misspelt `judge_model` with them.
    normalize: false,
    // Requests from a socket and from a test take the same way; Bun's own router would not ask `onRequest`.
    systemRouter: false,
    // The default looks for the path after the eleventh character of the address: `http://a/` is shorter.
    handler: { standardHostname: false },
  })
    .use(requestLog(services, options.log))
    .use(
      cors({
        origin: "*",
        credentials: false,
        methods: ["GET", "HEAD", "POST", "DELETE", "OPTIONS"],
        allowedHeaders: ["content-type", "if-none-match", "last-event-id"],
        exposeHeaders: ["etag", "link", "retry-after"],
        // The plugin would answer preflights before the Host is checked, and Elysia would not tell the log.
        preflight: false,
      }),
    )
    .onRequest(({ request, set }) => {
      // The plugin's `Vary: *` would forbid every cache.
      delete set.headers.vary;
      demandAddress(request);
      hosts?.(request);
      origins?.(request);
    })
    .options("/*", preflight)
    .onParse(({ request }) => {
      // Not undefined, for which Elysia would try its own parsers.
      if (request.method !== "POST") return null;
      // A connection that was open before the server began to stop can still ask.
      if (stopping.aborted) throw new Failure("interrupted", "the server is stopping", { retryable: true });
      return readJson(request);
    })
    .onError((thrown) => answerError(thrown, routes(), services))
    .mapResponse(sendJson)
    .use(readRoutes(context))
    .use(runRoutes(context))
    .use(seriesRoutes(context))
    .use(judgeRoutes(context))
    .use(reportRoutes(context))
    .use(apiDocs(services.version))
    .use(openApiRoute(routes, services.version));
  if (options.web_ui) app.use(options.web_ui.routes);
  return app;
}

/** Answers whether the process is alive, and nothing else. */
export function createHealthApp(services: Services, { hosts, log, abandoned = NEVER }: AppOptions) {
  const app = new Elysia({ systemRouter: false, handler: { standardHostname: false } })
    .use(requestLog(services, log))
    .onRequest(({ request }) => {
      demandAddress(request);
      hosts?.(request);
    })
    .onError((thrown) => answerError(thrown, app.routes, services))
    .get("/api/health", () => getHealth.run(services, {}, abandoned));
  return app;
}

/** Everything behind it reads the address. Two Host headers come as one with a comma, of which a proxy in front may read either name. */
function demandAddress({ url, headers }: Request): void {
  if (!URL.canParse(url) || headers.get("host")?.includes(","))
    throw new UnreadableRequest("the Host header is missing or is not a host");
}

const NEVER = new AbortController().signal;

const preflight = () => new Response(null, { status: 204, headers: { "access-control-max-age": "86400" } });
