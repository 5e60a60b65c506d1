import { cors } from "@elysiajs/cors";
import { Elysia } from "elysia";
import type { ErrorBody } from "../../domain/error-body.ts";
import { Failure, wordsOf } from "../../domain/failure.ts";
import { isMalformed, NO_UTF8, readBoundedJson } from "../../runtime/bounded-json.ts";
import type { Services } from "../operation/operation.ts";
import { demandUndrained } from "../operation/reads.ts";
import { AtWork } from "./at-work.ts";
import { sendJson } from "./compress.ts";
import { answerError, UnreadableRequest } from "./error.ts";
import { EventStreams } from "./event-stream.ts";
import { Metrics } from "./metrics.ts";
import { docsScript } from "./openapi/api-docs.ts";
import { readBytes, readTableBody, TABLE_PATHS } from "./read-body.ts";
import { type LogRequest, requestLog } from "./request-log.ts";
import { requesterOf } from "./requester.ts";
import type { RouteContext } from "./routes/answerers.ts";
import { endpointRoutes } from "./routes/routes.ts";
import type { WebUi } from "./web-ui.ts";

export interface AppOptions {
  /** Absent: requests are not logged. */
  readonly log?: LogRequest;
  /** Absent: streams of this app alone. */
  readonly streams?: EventStreams;
  /** Absent: nobody asks what is worked on. */
  readonly at_work?: AtWork;
  /** These throw for requests that must not be answered. Absent: every request is answered. */
  readonly hosts?: (request: Request) => void;
  readonly origins?: (request: Request) => void;
  readonly web_ui?: WebUi;
  /** The header in which a proxy names the user. Absent: no user is stored. */
  readonly user_header?: string | undefined;
  /** Absent: those of this app alone. */
  readonly metrics?: Metrics;
  /** Fires when the server is no longer ready, and takes work for a while all the same. */
  readonly leaving?: AbortSignal;
  /** Fires when the server takes no new work; its reason is what whoever sends some is answered. */
  readonly stopping?: AbortSignal;
  /** Fires when the server gives up unfinished rejudges and diagnoses. Runs have their own signals. */
  readonly abandoned?: AbortSignal;
}

/** The HTTP service: the interface's endpoints, our additions, and the web UI if there is one. */
export function createApp(services: Services, options: AppOptions = {}) {
  const { hosts, origins, stopping = NEVER, metrics = new Metrics() } = options;
  const routes = (): Parameters<typeof answerError>[1] => app.routes;
  const app = new Elysia({
    // Unknown fields are refused; the default drops them, and a misspelt `judge_model` with them.
    normalize: false,
    // Requests from a socket and from a test take the same path; Bun's own router would skip `onRequest`.
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
        allowedHeaders: ["content-type", "idempotency-key", "if-match", "if-none-match", "last-event-id"],
        exposeHeaders: ["etag", "link", "retry-after"],
        // The plugin would answer preflights before the Host is checked, and Elysia would not log them.
        preflight: false,
      }),
    )
    .onRequest(async ({ request, set }) => {
      // The plugin's `Vary: *` would prevent all caching.
      delete set.headers.vary;
      demandPlain(request, hosts);
      origins?.(request);
      await ownTurnInCrowd(request);
    })
    .options("/*", preflight)
    .onParse(async ({ request, path }) => {
      // Not undefined, for which Elysia would try its own parsers.
      if (request.method !== "POST") return null;
      // Connections are accepted to the end, for whoever reads.
      stopping.throwIfAborted();
      await demandUndrained(services, "overloaded");
      const body = TABLE_PATHS.has(path) ? await readTableBody(request) : await readJson(request);
      // One that comes slowly keeps no server.
      stopping.throwIfAborted();
      return body;
    })
    .onError((thrown) => refuse(thrown, metrics, answerError(thrown, routes(), services)))
    .mapResponse(sendJson)
    .use(endpointRoutes(contextOf(services, { ...options, metrics })))
    .use(docsScript);
  if (options.web_ui) app.use(options.web_ui.routes);
  return app;
}

/** Serves only health and metrics. */
export function createHealthApp(services: Services, options: AppOptions) {
  const { hosts, log, metrics = new Metrics() } = options;
  const app = new Elysia({ systemRouter: false, handler: { standardHostname: false } })
    .use(requestLog(services, log))
    .onRequest(({ request }) => demandPlain(request, hosts))
    .onError((thrown) => refuse(thrown, metrics, answerError(thrown, app.routes, services)))
    .use(endpointRoutes(contextOf(services, { ...options, metrics }), ["getHealth", "readMetrics"]));
  return app;
}

const contextOf = (
  services: Services,
  {
    streams = new EventStreams(),
    at_work = new AtWork(),
    user_header,
    ...options
  }: AppOptions & { readonly metrics: Metrics },
): RouteContext => ({
  ...{ services, streams, at_work, metrics: options.metrics },
  ...{ leaving: options.leaving ?? NEVER, abandoned: options.abandoned ?? NEVER },
  requesterOf: (call) => requesterOf(services, call, user_header),
});

/** Requests that begin in one turn: some milliseconds. */
const TURN_REQUESTS = 20;
let begun = 0;
const waiting: (() => void)[] = [];
/** A health probe does not wait in line with a crowd: it waits only for other probes. */
const probes: (() => void)[] = [];
const PROBES = /^[^?]*\/api\/(health|ready)(\?|$)/;

/**
 * One client can send thousands of requests in one piece, and the runtime begins all of them in one turn. Half of a turn is for
 * those who wait: two hundred clients who ask again and again would keep them for seconds, and two thousand of them whoever comes next.
 */
function ownTurnInCrowd({ url }: Request): Promise<void> | undefined {
  if (begun === 0) setImmediate(letIn);
  begun += 1;
  if (begun <= TURN_REQUESTS) return undefined;
  return new Promise((resolve) => (PROBES.test(url) ? probes : waiting).push(resolve));
}

function letIn(): void {
  const next = [probes, waiting].flatMap((line) => line.splice(0, TURN_REQUESTS / 2));
  begun = next.length;
  if (begun > 0) setImmediate(letIn);
  for (const enter of next) enter();
}

function refuse({ request, set }: Parameters<typeof answerError>[0], metrics: Metrics, body: ErrorBody): ErrorBody {
  // The runtime takes in what nobody reads, for as long as it comes.
  if (isLong(request)) set.headers["connection"] = "close";
  metrics.refused(body.error.code);
  return body;
}

/** Bytes of a body that may be sent where none is taken. */
const STRAY_BYTES = 64 * 1024;

/** Whether its body has more, or no length that is known. */
const isLong = ({ headers }: Request) =>
  headers.has("transfer-encoding") || Number(headers.get("content-length")) > STRAY_BYTES;

/** Refuses what asks for another host, or has a body that nobody reads. */
function demandPlain(request: Request, hosts: AppOptions["hosts"]): void {
  // Two Host headers arrive as one with a comma, and a proxy may read either name.
  if (!URL.canParse(request.url) || request.headers.get("host")?.includes(","))
    throw new UnreadableRequest("the Host header is missing or is not a host");
  hosts?.(request);
  if (request.method === "POST" || !isLong(request)) return;
  const most = `leave it out, or announce at most ${STRAY_BYTES} bytes`;
  throw new Failure("body_too_large", `${request.method} takes no body: ${most}`);
}

const NEVER = new AbortController().signal;

const preflight = () => new Response(null, { status: 204, headers: { "access-control-max-age": "86400" } });

/** The most JSON values of a body, counted before it is parsed. */
const BODY_VALUES = 10_000;

/** Levels of a body; one with a scenario has some ten. */
const MAX_LEVELS = 32;

/** Bytes of a request body: a run request needs a few hundred, one with a scenario some 100 kB. */
const BODY_BYTES = 1024 * 1024;

/**
 * The body of a request, which must be JSON. Elysia's own parsers would also take form data and text, which a page of another
 * site may send without a preflight: it could then start a run.
 * @throws Failure `unsupported_media_type`, `body_too_large`, `invalid_request` (400 when it is not JSON)
 */
async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type))
    throw new Failure("unsupported_media_type", `send the body as application/json, not ${type || "without a type"}`);
  const value = parse(await readBytes(request, BODY_BYTES));
  refuseUnprintable(value);
  return value;
}

function parse(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) throw new UnreadableRequest("the body is empty; send a JSON object");
  const read = readBoundedJson(bytes, { bytes: BODY_BYTES, values: BODY_VALUES });
  if ("value" in read) return read.value;
  if (read.fault === NO_UTF8) throw new UnreadableRequest("the body is not JSON: it is not UTF-8");
  if (!isMalformed(read.fault)) throw new Failure("invalid_request", `the body has ${read.fault}`);
  throw new UnreadableRequest(`the body is not JSON: ${syntaxFault(new TextDecoder().decode(bytes))}`);
}

function syntaxFault(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return wordsOf(error).slice(0, 200);
  }
}

/**
 * Elysia prints a value that does not fit in its error. Printing 100,000 levels would overflow the stack, and printing an object
 * with a `toString` of its own would fail.
 */
function refuseUnprintable(value: unknown): void {
  let level = [value].filter(isObject);
  for (let n = 0; level.length > 0; n += 1) {
    if (n === MAX_LEVELS) throw new Failure("invalid_request", `the body has more than ${MAX_LEVELS} levels`);
    if (level.some((item) => Object.hasOwn(item, "toString")))
      throw new Failure("invalid_request", 'unknown field "toString"', { details: { field: "toString" } });
    level = level.flatMap((item) => Object.values(item)).filter(isObject);
  }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
