import { Elysia } from "elysia";
import { Failure } from "../domain/failure.ts";
import { plainText } from "../domain/plain-text.ts";
import type { Services } from "../operation/services.ts";
import { allowedMethods } from "./allowed-methods.ts";
import { door, type LogRequest } from "./door.ts";
import type { Endpoint } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";
import { errorResponse, presentable } from "./error.ts";
import { EventStreams, type Pace } from "./event-stream.ts";
import { HostGate } from "./host-gate.ts";
import { openApi } from "./openapi.ts";
import { OriginGate } from "./origin-gate.ts";
import type { WebUi } from "./web-ui.ts";

export interface AppOptions {
  readonly log?: LogRequest;
  readonly pace?: Partial<Pace>;
  /** Absent: every Host is answered. */
  readonly hosts?: HostGate;
  /** Absent: pages of every origin may start runs. */
  readonly origins?: OriginGate;
  readonly web_ui?: WebUi;
  /** Fires when the server takes no new work. */
  readonly stopping?: AbortSignal;
  /** Fires when it gives up what still works: rejudges and examinations. Runs have signals of their own. */
  readonly abandoned?: AbortSignal;
}

export type App = ReturnType<typeof createApp>;

/** The HTTP service: the endpoints of spec part 4, ours, and the web UI when there is one. */
export function createApp(services: Services, options: AppOptions = {}) {
  const { hosts = HostGate.open, origins = OriginGate.open, web_ui, stopping = NEVER, abandoned = NEVER } = options;
  // The document is made from the router's own table when somebody asks, so it cannot miss a route.
  const described = new Map<string, Endpoint>();
  const document = once(() => JSON.stringify(openApi(routesOf(app, described), services.version)));
  const fault = (error: unknown) =>
    errorResponse(
      presentable(error, () => services.entropy(6), logFault),
      redact,
    );
  const redact = services.redact;
  const logFault = (id: string, error: unknown) => services.notice(plainText(redact(`error ${id}: ${traceOf(error)}`)));
  let throughDoor: ReturnType<typeof door> | undefined;
  // One router for requests from a socket and from a test alike, hence not the runtime's own.
  // standardHostname would look for the path after the eleventh character of the address: a Host of three is shorter.
  const app = new Elysia({ normalize: false, systemRouter: false, handler: { standardHostname: false } })
    // The router asks for the way through the door at every request, always with the same function.
    .wrap((fetch) => (throughDoor ??= door(fetch, { hosts, origins, clock: services.clock, log: options.log, fault })))
    .onError(({ error, code, request }) => fault(code === "NOT_FOUND" ? noRoute(request, described) : error));
  const context = { services, streams: new EventStreams(options.pace), stopping, abandoned, document };
  for (const endpoint of endpoints(context)) {
    described.set(`${endpoint.method} ${endpoint.path}`, endpoint);
    app.route(endpoint.method, endpoint.path, ({ request, params }) =>
      endpoint.answer({ request, params, idleTimeout: (seconds) => app.server?.timeout(request, seconds) }),
    );
  }
  if (web_ui) app.get("/*", ({ request }) => web_ui.answer(request) ?? fault(noRoute(request, described)));
  return app;
}

const NEVER = new AbortController().signal;

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** @throws Error for a route under /api that nobody described. */
function routesOf(
  { routes }: { readonly routes: readonly { readonly method: string; readonly path: string }[] },
  described: ReadonlyMap<string, Endpoint>,
): readonly Endpoint[] {
  const shown = routes.filter(({ path }) => path.startsWith("/api/"));
  return shown.map(({ method, path }) => {
    const endpoint = described.get(`${method} ${path}`);
    if (endpoint === undefined) throw new Error(`${method} ${path} has no description`);
    return endpoint;
  });
}

function noRoute(request: Request, described: ReadonlyMap<string, Endpoint>): Failure {
  const { pathname } = new URL(request.url);
  const shown = JSON.stringify(pathname.slice(0, 100));
  const allowed = allowedMethods([...described.values()], pathname);
  if (allowed.length === 0)
    return new Failure("unknown_route", `there is nothing at ${shown}; the routes are listed at /api/openapi.json`);
  return new Failure("method_not_allowed", `${shown} answers ${allowed.join(", ")}, not ${request.method}`, {
    details: { allowed },
  });
}

const traceOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : `\ncaused by ${traceOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
};
