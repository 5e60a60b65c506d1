import { Type } from "@sinclair/typebox";
import { DoctorReport, Health } from "../domain/health.ts";
import { SessionListRequest } from "../domain/request.ts";
import { Scenario } from "../domain/scenario.ts";
import { ScenarioListing } from "../domain/scenario-listing.ts";
import { SessionListing, SessionOutcome } from "../domain/session.ts";
import { runDoctor } from "../operation/doctor.ts";
import { health } from "../operation/health.ts";
import { getScenario, listScenarios } from "../operation/scenarios.ts";
import { getSession } from "../operation/sessions.ts";
import { type Endpoint, patiently } from "./endpoint.ts";
import type { EndpointContext } from "./endpoints.ts";
import { json } from "./every-origin.ts";
import { EXAMPLE_REPORT } from "./examples/report.ts";
import { EXAMPLE_SCENARIO, EXAMPLE_SCENARIO_ROW } from "./examples/scenario.ts";
import { EXAMPLE_SESSION, EXAMPLE_SESSION_ID, EXAMPLE_SESSION_ROW } from "./examples/session.ts";
import { readQuery } from "./read-request.ts";
import { answerSessions } from "./session-pages.ts";

/** What changes nothing and spends nothing. */
export const readEndpoints = ({ services, abandoned }: EndpointContext): readonly Endpoint[] => [
  {
    method: "GET",
    path: "/api/health",
    id: "getHealth",
    tag: "environment",
    title: "Liveness",
    summary: "Liveness and version; always cheap.",
    success: {
      status: 200,
      description: "The service is alive.",
      schema: Health,
      example: { status: "ok", version: services.version, uptime_ms: 1234 },
    },
    errors: [],
    answer: () => json(health(services)),
  },
  {
    method: "GET",
    path: "/api/scenarios",
    id: "listScenarios",
    tag: "scenarios",
    title: listScenarios.title,
    summary: `${listScenarios.summary} Files that are not YAML, such as markdown, are skipped.`,
    success: {
      status: 200,
      description: "Sorted by name.",
      schema: Type.Array(ScenarioListing),
      example: [EXAMPLE_SCENARIO_ROW],
    },
    errors: ["invalid_scenario"],
    answer: async () => json(await listScenarios.run(services, {}, abandoned)),
  },
  {
    method: "GET",
    path: "/api/scenarios/:name",
    id: "getScenario",
    tag: "scenarios",
    title: getScenario.title,
    summary: getScenario.summary,
    parameter: { name: "name", description: "Scenario name.", example: EXAMPLE_SCENARIO.name },
    success: { status: 200, description: "The definition.", schema: Scenario, example: EXAMPLE_SCENARIO },
    errors: ["unknown_scenario", "invalid_scenario"],
    answer: async ({ params }) => json(await getScenario.run(services, { name: params["name"] ?? "" }, abandoned)),
  },
  {
    method: "GET",
    path: "/api/doctor",
    id: "runDoctor",
    tag: "environment",
    title: runDoctor.title,
    summary: runDoctor.summary,
    query: runDoctor.input,
    success: {
      status: 200,
      description: "What was found. `ok` is false only when a check failed.",
      schema: DoctorReport,
      example: EXAMPLE_REPORT,
    },
    errors: ["invalid_request", "unknown_scenario", "invalid_scenario"],
    answer: async (call) => {
      const query = readQuery(call.request, runDoctor.input);
      const signal = AbortSignal.any([call.request.signal, abandoned]);
      return json(await patiently(call, () => runDoctor.run(services, query, signal)));
    },
  },
  {
    method: "GET",
    path: "/api/sessions",
    id: "listSessions",
    tag: "sessions",
    title: "List sessions",
    summary:
      "Persisted sessions, newest first; none when the server was started without a state directory. With `limit` a page: the `Link` header then names the next.",
    query: SessionListRequest,
    success: {
      status: 200,
      description: "Newest first.",
      schema: Type.Array(SessionListing),
      example: [EXAMPLE_SESSION_ROW],
      headers: { Link: '`<address>; rel="next"` when the page is not the last.' },
    },
    errors: ["invalid_request", "unknown_session", "storage_failed"],
    answer: async ({ request }) => answerSessions(services, request),
  },
  {
    method: "GET",
    path: "/api/sessions/:id",
    id: "getSession",
    tag: "sessions",
    title: getSession.title,
    summary: getSession.summary,
    parameter: { name: "id", description: "Session id.", example: EXAMPLE_SESSION_ID },
    success: { status: 200, description: "The outcome so far.", schema: SessionOutcome, example: EXAMPLE_SESSION },
    errors: ["unknown_session", "storage_failed"],
    answer: async ({ params }) => json(await getSession.run(services, { session_id: params["id"] ?? "" }, abandoned)),
  },
];
