import { RunEvent } from "../domain/event.ts";
import { Failure, type FailureCode } from "../domain/failure.ts";
import { RunRequest, RunStarted, VerdictRequest } from "../domain/request.ts";
import { SessionOutcome } from "../domain/session.ts";
import { Verdict } from "../domain/verdict.ts";
import { cancelRun, runScenario, startScenario } from "../operation/runs.ts";
import { rejudge } from "../operation/verdicts.ts";
import { type Endpoint, patiently } from "./endpoint.ts";
import type { EndpointContext } from "./endpoints.ts";
import { EVENT_STREAM_HEADERS } from "./event-stream.ts";
import { json } from "./every-origin.ts";
import { EXAMPLE_EVENTS } from "./examples/events.ts";
import { EXAMPLE_SESSION, EXAMPLE_SESSION_ID } from "./examples/session.ts";
import { EXAMPLE_VERDICT } from "./examples/verdict.ts";
import { readBody } from "./read-request.ts";

/** What refuses a run before anything is spent. */
const BEFORE_A_RUN: readonly FailureCode[] = [
  "invalid_request",
  "body_too_large",
  "unsupported_media_type",
  "unknown_scenario",
  "invalid_scenario",
  "credentials_missing",
  "overloaded",
  "interrupted",
  "sandbox_unavailable",
  "storage_full",
  "storage_failed",
];

const RUN_BODY = {
  schema: RunRequest,
  examples: {
    as_written: { scenario: EXAMPLE_SESSION.scenario },
    other_models: {
      scenario: EXAMPLE_SESSION.scenario,
      model_override: "openai/gpt-5",
      judge_model: "builtin/evidence",
    },
  },
};

/** What starts, watches, stops and judges. */
export function runEndpoints({ services, streams, stopping, abandoned }: EndpointContext) {
  const blocking: Endpoint = {
    method: "POST",
    path: "/api/runs",
    id: "runScenario",
    tag: "runs",
    title: runScenario.title,
    summary: `${runScenario.summary} A client that goes away loses nothing: the run goes on and is stored. A run that fails answers with its error; \`details.session_id\` names the session, which keeps what there is.`,
    body: RUN_BODY,
    success: { status: 200, description: "The outcome.", schema: SessionOutcome, example: EXAMPLE_SESSION },
    errors: [...BEFORE_A_RUN, "provider_failed", "setup_failed", "workspace_failed", "cancelled"],
    answer: async (call) => {
      refuseWhenStopping(stopping);
      const asked = await readBody(call.request, RunRequest);
      return json(await patiently(call, () => runScenario.run(services, asked, abandoned)));
    },
  };
  const background: Endpoint = {
    method: "POST",
    path: "/api/runs/async",
    id: "startScenario",
    tag: "runs",
    title: startScenario.title,
    summary: `${startScenario.summary} Watch it at \`/api/runs/{id}/stream\`, read it at \`/api/sessions/{id}\`.`,
    body: RUN_BODY,
    success: {
      status: 200,
      description: "Started, or waiting for its turn.",
      schema: RunStarted,
      example: { session_id: EXAMPLE_SESSION_ID },
    },
    errors: BEFORE_A_RUN,
    answer: async ({ request }) => {
      refuseWhenStopping(stopping);
      return json(await startScenario.run(services, await readBody(request, RunRequest), abandoned));
    },
  };
  const stream: Endpoint = {
    method: "GET",
    path: "/api/runs/:id/stream",
    id: "streamRun",
    tag: "runs",
    title: "Watch a run",
    summary:
      "Server-sent events of a run in flight: every event so far, in order, then the live ones. Ends after `verdict_ready` or `session_failed`; by then the session can be read. A comment line keeps a quiet stream open.",
    parameter: { name: "id", description: "Session id.", example: EXAMPLE_SESSION_ID },
    success: {
      status: 200,
      description: "Frames of one line `data: <json>` and an empty line; the JSON is a RunEvent.",
      schema: RunEvent,
      media_type: "text/event-stream",
      example: EXAMPLE_EVENTS.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""),
    },
    errors: ["not_live"],
    answer: async ({ request, params, idleTimeout }) => {
      const run = services.live.get(params["id"] ?? "");
      if (!run) throw notLive(params["id"] ?? "");
      if (request.method === "HEAD") return new Response(null, { headers: EVENT_STREAM_HEADERS });
      idleTimeout(0);
      return streams.open(run, idleTimeout);
    },
  };
  const verdicts: Endpoint = {
    method: "POST",
    path: "/api/verdicts",
    id: "rejudge",
    tag: "verdicts",
    title: rejudge.title,
    summary: `${rejudge.summary} Arms of different scenarios are refused before anything else.`,
    body: {
      schema: VerdictRequest,
      examples: {
        same_session: {
          arm_a: EXAMPLE_VERDICT.arm_a,
          arm_b: EXAMPLE_VERDICT.arm_b,
          judge_model: "anthropic/claude-opus-4-5",
        },
        two_sessions: {
          arm_a: EXAMPLE_VERDICT.arm_a,
          arm_b: { session_id: "session-pager-last-page-20260103T101500000Z", arm_id: EXAMPLE_VERDICT.arm_a.arm_id },
        },
      },
    },
    success: { status: 200, description: "The new verdict.", schema: Verdict, example: EXAMPLE_VERDICT },
    errors: [
      "invalid_request",
      "body_too_large",
      "unsupported_media_type",
      "unknown_session",
      "unknown_arm",
      "scenario_mismatch",
      "session_not_finished",
      "credentials_missing",
      "overloaded",
      "provider_failed",
      "interrupted",
      "storage_full",
      "storage_failed",
    ],
    answer: async (call) => {
      refuseWhenStopping(stopping);
      const asked = await readBody(call.request, VerdictRequest);
      return json(await patiently(call, () => rejudge.run(services, asked, abandoned)));
    },
  };
  const cancel: Endpoint = {
    method: "DELETE",
    path: "/api/runs/:id",
    id: "cancelRun",
    tag: "extension",
    title: "Cancel a run",
    summary:
      "Stops a run in flight or queued. Its stream ends with `session_failed`, code `cancelled`; the session keeps what there is.",
    parameter: { name: "id", description: "Session id.", example: EXAMPLE_SESSION_ID },
    success: {
      status: 202,
      description: "The run is stopping.",
      schema: RunStarted,
      example: { session_id: EXAMPLE_SESSION_ID },
    },
    errors: ["not_live"],
    answer: async ({ params }) => Response.json(cancelRun(services, params["id"] ?? ""), { status: 202 }),
  };
  return { blocking, background, stream, verdicts, cancel };
}

/** A connection that was open before the server began to stop can still ask. */
function refuseWhenStopping(stopping: AbortSignal): void {
  if (stopping.aborted) throw new Failure("interrupted", "the server is stopping", { retryable: true });
}

const notLive = (session_id: string) =>
  new Failure(
    "not_live",
    `no run of ${JSON.stringify(session_id.slice(0, 100))} is in flight; read the session instead`,
  );
