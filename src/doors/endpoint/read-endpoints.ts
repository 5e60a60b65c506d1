import { Type } from "@sinclair/typebox";
import { CONTEST_MODES } from "../../domain/contest-plan.ts";
import { DoctorReport } from "../../domain/doctor-report.ts";
import { Health } from "../../domain/health.ts";
import { Provider } from "../../domain/provider.ts";
import { InputId, Scenario, ScenarioListing } from "../../domain/scenario.ts";
import { oneOf, Slug } from "../../domain/schema.ts";
import { SeriesLimits } from "../../domain/series-record.ts";
import { SeriesRequest } from "../../domain/series-request.ts";
import { SessionOutcome } from "../../domain/session.ts";
import {
  SessionListing,
  SessionListRequest,
  SessionSummary,
  SessionSummaryRequest,
} from "../../domain/session-list.ts";
import { endpoint, newestFirst, SessionInPath } from "./endpoint.ts";
import { EXAMPLES } from "./examples.ts";

/** What changes nothing and spends nothing. */
export const READ_ENDPOINTS = {
  getHealth: endpoint("GET /api/health", {
    tag: "environment",
    title: "Liveness",
    description:
      "Liveness and version; always cheap. It says whether the database can be reached, and answers 200 even if not: restarting the process would not help.",
    storeless: true,
    answer: "The service is alive.",
    exampleOf: (version) => ({ status: "ok", version, uptime_ms: 1234 }),
    output: Health,
    failures: [],
  }),
  getReadiness: endpoint("GET /api/ready", {
    tag: "extension",
    title: "Readiness",
    description:
      "Whether this server can serve requests: like health, but 503 while its database cannot be reached, its state directory is gone or it is stopping. Meant for a load balancer before several servers.",
    storeless: true,
    answer: "The server can serve requests.",
    exampleOf: (version) => ({ status: "ok", version, uptime_ms: 1234, database: "reachable" }),
    output: Health,
    failures: ["not_ready"],
  }),
  listScenarios: endpoint("GET /api/scenarios", {
    tag: "scenarios",
    title: "List scenarios",
    description:
      "The scenarios that can be run, with their arms. A file that cannot be read is listed with its error. Files that are not YAML, such as markdown, are skipped.",
    storeless: true,
    answer: "Sorted by name.",
    example: [EXAMPLES.scenario_row],
    output: Type.Array(ScenarioListing),
    failures: ["invalid_scenario"],
  }),
  getScenario: endpoint("GET /api/scenarios/:name", {
    tag: "scenarios",
    title: "Get a scenario",
    description: "The full definition of a scenario as it would be run: arms, rubric, policies, task.",
    fields: Type.Object({
      name: Type.String({ description: "Scenario name.", examples: [EXAMPLES.session.definition.name] }),
      input: Type.Optional(InputId),
    }),
    storeless: true,
    answer: "The definition.",
    example: EXAMPLES.session.definition,
    output: Scenario,
    failures: ["unknown_scenario", "invalid_scenario"],
  }),
  runDoctor: endpoint("GET /api/doctor", {
    tag: "environment",
    title: "Check the environment or a scenario",
    description:
      "Whether runs can work here: sandbox, keys, directories. With a scenario it also checks fixture, hidden checks, reference and budgets, and runs the scenario's commands for that. It never calls a model.",
    fields: Type.Object({
      scenario: Type.Optional(Slug({ description: "Scenario name." })),
      trials: Type.Optional({
        ...SeriesLimits.properties.trials,
        description: "Also estimate a series of this many trials.",
      }),
      cluster: SeriesRequest.properties.cluster,
      measure: SeriesRequest.properties.measure,
      not_worse_by: SeriesRequest.properties.not_worse_by,
      control: SeriesRequest.properties.control,
      contest: Type.Optional(
        oneOf(CONTEST_MODES, {
          description: "As `mode` in the `contest` of a series.",
        }),
      ),
    }),
    slow: true,
    storeless: true,
    answer: "What was found. `ok` is false only when a check failed.",
    example: EXAMPLES.doctor,
    output: DoctorReport,
    failures: ["unknown_scenario", "invalid_scenario", "unknown_arm"],
  }),
  listProviders: endpoint("GET /api/providers", {
    tag: "extension",
    title: "List providers",
    description: "Which providers have a key, and which of their models have a price. It shows no key and tries none.",
    storeless: true,
    answer: "The providers that this server knows.",
    example: [EXAMPLES.provider],
    output: Type.Array(Provider),
    failures: ["storage_failed"],
  }),
  listSessions: endpoint("GET /api/sessions", {
    tag: "sessions",
    title: "List sessions",
    description:
      "Persisted sessions, newest first; none when the server was started without a state directory. `limit` returns a page, whose `Link` header names the next. Filters and other orders are an extension; another order comes in pages.",
    fields: SessionListRequest,
    ...newestFirst(SessionListing, EXAMPLES.session_row, { by: "session_id" }),
    failures: ["unknown_session", "storage_failed"],
  }),
  summarizeSessions: endpoint("GET /api/session-summary", {
    tag: "extension",
    title: "Summarize sessions",
    description: "How many persisted sessions match, how they ended, what they cost.",
    fields: SessionSummaryRequest,
    answer: "Figures of the sessions that match.",
    example: EXAMPLES.session_summary,
    output: SessionSummary,
    failures: ["storage_failed"],
  }),
  getSession: endpoint("GET /api/sessions/:id", {
    tag: "sessions",
    title: "Get a session",
    description: "Everything known of a session: arm summaries, decisions, verdicts. Also while it runs.",
    fields: Type.Object(SessionInPath),
    answer: "The outcome so far.",
    example: EXAMPLES.session,
    output: SessionOutcome,
    checked: true,
    failures: ["unknown_session", "storage_failed"],
  }),
};
