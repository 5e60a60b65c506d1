import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { SessionListRequest } from "../../../domain/session-list.ts";
import { runDoctor } from "../../operation/doctor.ts";
import { getHealth, getReadiness, listProviders } from "../../operation/health.ts";
import { getScenario, listScenarios } from "../../operation/scenarios.ts";
import { getSession, listSessions, summarizeSessions } from "../../operation/sessions.ts";
import { about, answer, failures } from "../openapi/describe.ts";
import { EXAMPLES } from "../openapi/examples.ts";
import { integer, LINK_HEADERS, paged, patiently, type RouteContext, refuseTwice, SessionInPath } from "./query.ts";

/** Routes that change nothing and spend nothing. */
export const readRoutes = ({ services, abandoned }: RouteContext) =>
  new Elysia({ name: "read-routes" })
    .get("/api/health", () => getHealth.run(services, {}, abandoned), {
      response: getHealth.output,
      detail: {
        ...about(getHealth, "environment"),
        responses: {
          200: answer("The service is alive.", { status: "ok", version: services.version, uptime_ms: 1234 }),
          ...failures(),
        },
      },
    })
    .get("/api/ready", () => getReadiness.run(services, {}, abandoned), {
      response: getReadiness.output,
      detail: {
        ...about(getReadiness, "extension"),
        responses: {
          200: answer("The server can serve requests.", {
            status: "ok",
            version: services.version,
            uptime_ms: 1234,
            database: "reachable",
          }),
          ...failures("not_ready"),
        },
      },
    })
    .get("/api/scenarios", () => listScenarios.run(services, {}, abandoned), {
      response: listScenarios.output,
      detail: {
        ...about(listScenarios, "scenarios", "Files that are not YAML, such as markdown, are skipped."),
        responses: { 200: answer("Sorted by name.", [EXAMPLES.scenario_row]), ...failures("invalid_scenario") },
      },
    })
    .get("/api/scenarios/:name", ({ params, query }) => getScenario.run(services, { ...query, ...params }, abandoned), {
      params: Type.Object({
        name: Type.String({ description: "Scenario name.", examples: [EXAMPLES.session.definition.name] }),
      }),
      query: Type.Pick(getScenario.input, ["input"]),
      response: getScenario.output,
      detail: {
        ...about(getScenario, "scenarios"),
        responses: {
          200: answer("The definition.", EXAMPLES.session.definition),
          ...failures("invalid_request", "unknown_scenario", "invalid_scenario"),
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
        transform: [refuseTwice, integer("trials")],
        query: runDoctor.input,
        response: runDoctor.output,
        detail: {
          ...about(runDoctor, "environment"),
          responses: {
            200: answer("What was found. `ok` is false only when a check failed.", EXAMPLES.doctor),
            ...failures("invalid_request", "unknown_scenario", "invalid_scenario"),
          },
        },
      },
    )
    .get("/api/providers", () => listProviders.run(services, {}, abandoned), {
      response: listProviders.output,
      detail: {
        ...about(listProviders, "extension"),
        responses: {
          200: answer("The providers that this server knows.", [EXAMPLES.provider]),
          ...failures("storage_failed"),
        },
      },
    })
    .get(
      "/api/sessions",
      ({ query, request, set }) =>
        paged({
          ...{ query, request, set },
          rows: (asked) => listSessions.run(services, asked, AbortSignal.any([request.signal, abandoned])),
          idOf: ({ session_id }) => session_id,
        }),
      {
        transform: [refuseTwice, integer("limit"), integer("offset")],
        query: SessionListRequest,
        response: listSessions.output,
        detail: {
          ...about(listSessions, "sessions"),
          description:
            "Persisted sessions, newest first; none when the server was started without a state directory. `limit` returns a page, whose `Link` header names the next. Filters and other orders are an extension; another order comes in pages.",
          responses: {
            200: { ...answer("Newest first.", [EXAMPLES.session_row]), headers: LINK_HEADERS },
            ...failures("invalid_request", "unknown_session", "storage_failed"),
          },
        },
      },
    )
    .get(
      "/api/session-summary",
      ({ query, request }) => summarizeSessions.run(services, query, AbortSignal.any([request.signal, abandoned])),
      {
        transform: refuseTwice,
        query: summarizeSessions.input,
        response: summarizeSessions.output,
        detail: {
          ...about(summarizeSessions, "extension"),
          responses: {
            200: answer("Figures of the sessions that match.", EXAMPLES.session_summary),
            ...failures("invalid_request", "storage_failed"),
          },
        },
      },
    )
    .get("/api/sessions/:id", ({ params }) => getSession.run(services, { session_id: params.id }, abandoned), {
      params: SessionInPath,
      detail: {
        ...about(getSession, "sessions"),
        responses: {
          200: answer("The outcome so far.", EXAMPLES.session, getSession.output),
          ...failures("unknown_session", "storage_failed"),
        },
      },
    });
