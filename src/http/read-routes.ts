import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { SessionListRequest } from "../domain/request.ts";
import type { SessionListing } from "../domain/session.ts";
import { runDoctor } from "../operation/doctor.ts";
import { getHealth } from "../operation/health.ts";
import { getScenario, listScenarios } from "../operation/scenarios.ts";
import { getSession, listSessions } from "../operation/sessions.ts";
import { answer, failures } from "./describe.ts";
import { EXAMPLE_REPORT } from "./examples/report.ts";
import { EXAMPLE_SCENARIO, EXAMPLE_SCENARIO_ROW } from "./examples/scenario.ts";
import { EXAMPLE_SESSION, EXAMPLE_SESSION_ROW } from "./examples/session.ts";
import { patiently, type RouteContext, refuseTwice, SessionInPath } from "./route-context.ts";

/** What changes nothing and spends nothing. */
export const readRoutes = ({ services, abandoned }: RouteContext) =>
  new Elysia({ name: "read-routes" })
    .get("/api/health", () => getHealth.run(services, {}, abandoned), {
      response: getHealth.output,
      detail: {
        operationId: "getHealth",
        tags: ["environment"],
        summary: getHealth.title,
        description: getHealth.summary,
        responses: {
          200: answer("The service is alive.", { status: "ok", version: services.version, uptime_ms: 1234 }),
          ...failures(),
        },
      },
    })
    .get("/api/scenarios", () => listScenarios.run(services, {}, abandoned), {
      response: listScenarios.output,
      detail: {
        operationId: "listScenarios",
        tags: ["scenarios"],
        summary: listScenarios.title,
        description: `${listScenarios.summary} Files that are not YAML, such as markdown, are skipped.`,
        responses: { 200: answer("Sorted by name.", [EXAMPLE_SCENARIO_ROW]), ...failures("invalid_scenario") },
      },
    })
    .get("/api/scenarios/:name", ({ params }) => getScenario.run(services, params, abandoned), {
      params: Type.Object({ name: Type.String({ description: "Scenario name.", examples: [EXAMPLE_SCENARIO.name] }) }),
      response: getScenario.output,
      detail: {
        operationId: "getScenario",
        tags: ["scenarios"],
        summary: getScenario.title,
        description: getScenario.summary,
        responses: {
          200: answer("The definition.", EXAMPLE_SCENARIO),
          ...failures("unknown_scenario", "invalid_scenario"),
        },
      },
    })
    .get(
      "/api/doctor",
      (call) => {
        const signal = AbortSignal.any([call.request.signal, abandoned]);
        return patiently(call, () => runDoctor.run(services, call.query, signal));
      },
      {
        transform: refuseTwice,
        query: runDoctor.input,
        response: runDoctor.output,
        detail: {
          operationId: "runDoctor",
          tags: ["environment"],
          summary: runDoctor.title,
          description: runDoctor.summary,
          responses: {
            200: answer("What was found. `ok` is false only when a check failed.", EXAMPLE_REPORT),
            ...failures("invalid_request", "unknown_scenario", "invalid_scenario"),
          },
        },
      },
    )
    .get(
      "/api/sessions",
      async ({ query, request, set }) => {
        const { limit } = query;
        if (limit === undefined) return await listSessions.run(services, query, abandoned);
        // One row more than was asked for tells whether there is a next page.
        const rows = await listSessions.run(services, { ...query, limit: limit + 1 }, abandoned);
        const page = rows.slice(0, limit);
        const last = page.at(-1);
        if (rows.length > limit && last) set.headers["link"] = nextLink(request, last);
        return page;
      },
      {
        transform: [refuseTwice, integer("limit")],
        query: SessionListRequest,
        response: listSessions.output,
        detail: {
          operationId: "listSessions",
          tags: ["sessions"],
          summary: listSessions.title,
          description:
            "Persisted sessions, newest first; none when the server was started without a state directory. With `limit` a page: the `Link` header then names the next.",
          responses: {
            200: {
              ...answer("Newest first.", [EXAMPLE_SESSION_ROW]),
              headers: {
                Link: {
                  description: '`<address>; rel="next"` when the page is not the last.',
                  schema: { type: "string" },
                },
              },
            },
            ...failures("invalid_request", "unknown_session", "storage_failed"),
          },
        },
      },
    )
    .get("/api/sessions/:id", ({ params }) => getSession.run(services, { session_id: params.id }, abandoned), {
      params: SessionInPath,
      response: getSession.output,
      detail: {
        operationId: "getSession",
        tags: ["sessions"],
        summary: getSession.title,
        description: getSession.summary,
        responses: {
          200: answer("The outcome so far.", EXAMPLE_SESSION),
          ...failures("unknown_session", "storage_failed"),
        },
      },
    });

function nextLink(request: Request, { session_id }: SessionListing): string {
  const next = new URL(request.url);
  next.searchParams.set("before", session_id);
  // Relative, so that it stays right behind a reverse proxy.
  return `<${next.pathname}${next.search}>; rel="next"`;
}

/** Makes an integer of digits, and of nothing else: Elysia's own numbers also take `1e2`, `0x10` and `" 5"`. */
const integer =
  (name: string) =>
  ({ query }: { readonly query: Record<string, unknown> }): void => {
    if (/^\d{1,15}$/.test(String(query[name]))) query[name] = Number(query[name]);
  };
