import { Elysia } from "elysia";
import { Failure } from "../../../domain/failure.ts";
import { type ApiEndpoint, fieldPlaces } from "../../endpoint/endpoint.ts";
import { ENDPOINTS, type EndpointName } from "../../endpoint/endpoints.ts";
import { runDoctor } from "../../operation/doctor.ts";
import { getHealth, getReadiness, listProviders } from "../../operation/health.ts";
import { getSelfTest, listJudges, listSelfTests, rejudge, startSelfTest, vote } from "../../operation/judging.ts";
import type { Operation, Requester, Services } from "../../operation/operation.ts";
import { importResults } from "../../operation/results.ts";
import { cancelRun, runScenario, startScenario } from "../../operation/runs.ts";
import { getScenario, listScenarios } from "../../operation/scenarios.ts";
import { cancelSeries, listMembers, listSeries, startSeries } from "../../operation/series.ts";
import { getSession, listSessions, summarizeSessions } from "../../operation/sessions.ts";
import { ANSWERERS, type Call, IDLE_TIMEOUT_S, type RouteContext } from "./answerers.ts";
import { paged, queryReader, type Row } from "./query.ts";

/** The operation of each endpoint that is not answered by hand. */
const OPERATIONS: { readonly [Name in Exclude<EndpointName, keyof typeof ANSWERERS>]: Operation<Name> } = {
  ...{ getHealth, getReadiness, listScenarios, getScenario, runDoctor, listProviders },
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
    app.route(method, path, (call) => answer(context, asked(call), call), {
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
