import type { TObject } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { Failure } from "../../../domain/failure.ts";
import { MAX_PAGE } from "../../../domain/request.ts";
import { wholeJson } from "../../../domain/whole-json.ts";
import { type ApiEndpoint, fieldPlaces } from "../../endpoint/endpoint.ts";
import { ENDPOINTS, type EndpointName } from "../../endpoint/endpoints.ts";
import { runDoctor } from "../../operation/doctor.ts";
import { getSelfTest, listJudges, listSelfTests, rejudge, startSelfTest, vote } from "../../operation/judging.ts";
import type { Operation, Requester, Services } from "../../operation/operation.ts";
import {
  getHealth,
  getScenario,
  getSession,
  listProviders,
  listScenarios,
  listSessions,
  summarizeSessions,
} from "../../operation/reads.ts";
import { importResults } from "../../operation/results.ts";
import { cancelRun, runScenario, startScenario } from "../../operation/runs.ts";
import { cancelSeries, listMembers, listSeries, startSeries } from "../../operation/series.ts";
import { ANSWERERS, type Call, IDLE_TIMEOUT_S, type RouteContext } from "./answerers.ts";

/** The operation of each endpoint that is not answered by hand. */
const OPERATIONS: { readonly [Name in Exclude<EndpointName, keyof typeof ANSWERERS>]: Operation<Name> } = {
  ...{ getHealth, listScenarios, getScenario, runDoctor, listProviders },
  ...{ listSessions, summarizeSessions, getSession },
  ...{ runScenario, startScenario, rejudge, cancelRun },
  ...{ startSeries, listSeries, listMembers, cancelSeries, importResults },
  ...{ startSelfTest, listSelfTests, getSelfTest, listJudges, vote },
};

// Elysia holds a request to the schemas of its endpoint, and so to what these take.
const BY_HAND = ANSWERERS as { readonly [Name in EndpointName]?: Answer };
const BY_NAME = OPERATIONS as unknown as { readonly [Name in EndpointName]: Run };
type Answer = (context: RouteContext, asked: never, call: Call) => unknown;
type Run = (services: Services, asked: object, signal: AbortSignal, requester?: Requester) => Promise<unknown>;

/** A route for each endpoint. */
export function endpointRoutes(context: RouteContext, names = Object.keys(ENDPOINTS) as readonly EndpointName[]) {
  const app = new Elysia({ name: "endpoints" });
  for (const name of names) {
    const endpoint: ApiEndpoint = ENDPOINTS[name];
    const { route, body, output, checked, media, status, storeless } = endpoint;
    const [method = "", path = ""] = route.split(" ");
    const { path: params, query } = fieldPlaces(endpoint);
    const answer = BY_HAND[name] ?? answererOf(endpoint, BY_NAME[name]);
    const asked = (call: Call) =>
      ({ ...(query && call.query), ...(body && (call.body as object)), ...call.params }) as never;
    app.route(method, path, (call) => context.at_work.on(() => answer(context, asked(call), call)), {
      ...(params && { params }),
      ...(query && { query, transform: queryReader(query) }),
      ...(body && { body }),
      ...(context.services.shared && !storeless && { beforeHandle: () => demandDatabase(context.services, method) }),
      ...(output && !checked && !media && { response: status ? { [status]: output } : output }),
    });
  }
  return app;
}

/** Asks the operation. */
const answererOf =
  ({ route, pages, keyed, slow, status }: ApiEndpoint, run: Run) =>
  (context: RouteContext, asked: object, call: Call): unknown => {
    const { services, abandoned } = context;
    const { request, set } = call;
    set.status = status ?? 200;
    // What only reads is given up with its client; what was started goes on.
    const signal = route.startsWith("GET ") ? AbortSignal.any([request.signal, abandoned]) : abandoned;
    const requester = keyed && context.requesterOf(call);
    if (!pages) return patiently(call, slow, () => run(services, asked, signal, requester));
    const rows = async (page: object) => (await run(services, page, signal)) as readonly Row[]; // a list of records
    return paged({ request, set, query: { ...(pages.limit && { limit: pages.limit }), ...asked }, rows, by: pages.by });
  };

/** Lifts the limit on silence while something slow is done. The body was read before, under the limit. */
async function patiently({ server, request }: Call, slow: true | undefined, work: () => Promise<unknown>) {
  if (!slow) return await work();
  server?.timeout(request, 0);
  try {
    return await work();
  } finally {
    // Before the answer: after it the server no longer knows whose connection it was.
    server?.timeout(request, IDLE_TIMEOUT_S);
  }
}

/** Refuses at once what would wait for a database that is away, or that takes no writes. @throws Failure `not_ready` */
async function demandDatabase({ shared }: Services, method: string): Promise<void> {
  const writes = method !== "GET";
  if (!shared || (await (writes ? shared.writable() : shared.reachable()))) return;
  const why = writes && (await shared.reachable()) ? "takes no writes just now" : "does not answer this server";
  throw new Failure("not_ready", `the database ${why}; nothing was done, try again`, { retryable: true });
}

interface Queried {
  readonly request: Request;
  readonly query: Record<string, unknown>;
}

/** What is done with a query before it is held to its schema. */
function queryReader({ properties, additionalProperties }: TObject) {
  const numbers = Object.entries(properties).flatMap(([name, { type }]) => {
    const digits = typeof type === "string" ? NUMBERS[type] : undefined;
    return digits ? [{ name, digits }] : [];
  });
  return ({ request, query }: Queried): void => {
    // Fields of others may come as they like.
    if (additionalProperties === false) refuseTwice(request);
    for (const { name, digits } of numbers) if (digits.test(String(query[name]))) query[name] = Number(query[name]);
  };
}

/** Digits, with a decimal point where the schema allows it, and nothing else: Elysia's own numbers also take `1e2`, `0x10` and `" 5"`. */
const NUMBERS: Readonly<Record<string, RegExp>> = { integer: /^\d{1,15}$/, number: /^(?!$)\d{0,3}(\.\d{1,12})?$/ };

/** Elysia would take the last of several. @throws Failure `invalid_request` */
function refuseTwice({ url }: Request): void {
  const seen = new Set<string>();
  for (const name of new URL(url).searchParams.keys()) {
    if (seen.has(name))
      throw new Failure("invalid_request", `${name.slice(0, 64)} is given twice`, { details: { field: name } });
    seen.add(name);
  }
}

interface Page {
  readonly limit?: number;
  readonly sort?: string;
  readonly order?: string;
  readonly offset?: number;
}

type Row = Readonly<Record<string, unknown>>;

interface Paged<Query extends Page> {
  readonly request: Request;
  readonly query: Query;
  readonly set: { readonly headers: Record<string, string | number> };
  /** Rows for the query, newest first. */
  readonly rows: (query: Query) => Promise<readonly Row[]>;
  /** The field that names a row. */
  readonly by: string;
}

/**
 * All rows without a `limit`, read and sent at the client's pace; else a page, and a `Link` header names the next. Another order
 * than the newest first comes in pages, also without a `limit`.
 */
async function paged<Query extends Page>(asked: Paged<Query>): Promise<readonly Row[] | Response> {
  const { query, request, set, rows, by } = asked;
  const limit = query.limit ?? (isByPlace(query) ? undefined : MAX_PAGE);
  if (limit === undefined) return await allRows(asked);
  // One row more than was asked for tells whether there is a next page.
  const found = await rows({ ...query, limit: limit + 1 });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  if (found.length > limit && last !== undefined)
    set.headers["link"] = nextLink(request, nextOf(query, limit, String(last[by])));
  return page;
}

/** The default order continues after the last row, which newer rows do not move. Other orders continue by number of rows. */
const nextOf = (page: Page, limit: number, before: string): readonly [string, string] =>
  isByPlace(page) ? ["before", before] : ["offset", String((page.offset ?? 0) + limit)];

const isByPlace = ({ sort, order, offset }: Page) => sort === undefined && order === undefined && offset === undefined;

/** Never more than a page is in memory: the next one is read when the client has taken the last. */
async function allRows<Query extends Page>({ query, request, rows, by }: Paged<Query>) {
  let page = await rows({ ...query, limit: MAX_PAGE });
  if (page.length < MAX_PAGE || request.method === "HEAD") return [...page];
  let opening = "[";
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const isLast = page.length < MAX_PAGE;
    const text = page.map((row) => wholeJson(row)).join(",");
    controller.enqueue(encoder.encode(`${text && opening}${text}${isLast ? "]" : ""}`));
    opening = ",";
    const last = page.at(-1);
    if (isLast || last === undefined) return controller.close();
    page = await rows({ ...query, limit: MAX_PAGE, before: String(last[by]) });
  };
  // What is read ahead is one page.
  const stream = new ReadableStream({ pull }, { highWaterMark: 0 });
  return new Response(stream, { headers: { "content-type": "application/json;charset=utf-8" } });
}

const encoder = new TextEncoder();

function nextLink(request: Request, [name, value]: readonly [string, string]): string {
  const next = new URL(request.url);
  next.searchParams.set(name, value);
  // Relative, so that it stays right behind a reverse proxy.
  return `<${next.pathname}${next.search}>; rel="next"`;
}
