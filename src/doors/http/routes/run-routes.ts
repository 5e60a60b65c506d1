import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { RunEvent } from "../../../domain/event.ts";
import type { FailureCode } from "../../../domain/failure.ts";
import { RunRequest, RunStarted, VerdictRequest } from "../../../domain/request.ts";
import { followRun } from "../../operation/follow-run.ts";
import { rejudge } from "../../operation/judging.ts";
import { cancelRun, demandInFlight, runScenario, startScenario } from "../../operation/runs.ts";
import { about, answer, body, failures, frames } from "../openapi/describe.ts";
import { EXAMPLES } from "../openapi/examples.ts";
import { KEY_PARAMETER } from "../requester.ts";
import { EVENT_STREAM_HEADERS } from "../stream/event-stream.ts";
import { patiently, type RouteContext, SessionInPath } from "./query.ts";

/** Failures that refuse a run before anything is spent. */
export const BEFORE_A_RUN: readonly FailureCode[] = [
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

const RUN_BODY = body({
  as_written: { scenario: EXAMPLES.session.scenario },
  other_models: {
    scenario: EXAMPLES.session.scenario,
    model_override: "openai/gpt-5",
    judge_model: "builtin/evidence",
  },
});

/** Routes that start, watch, stop and judge runs. */
export const runRoutes = ({ services, streams, abandoned, requesterOf }: RouteContext) =>
  new Elysia({ name: "run-routes" })
    .post(
      "/api/runs",
      (call) => patiently(call, () => runScenario.run(services, call.body, abandoned, requesterOf(call))),
      {
        body: RunRequest,
        detail: {
          ...about(
            runScenario,
            "runs",
            `A client that goes away loses nothing: the run goes on and is stored. A run that fails answers with its error; \`details.session_id\` names the session, which keeps what there is.`,
          ),
          parameters: [KEY_PARAMETER],
          requestBody: RUN_BODY,
          responses: {
            200: answer("The outcome.", EXAMPLES.session, runScenario.output),
            ...failures(
              ...BEFORE_A_RUN,
              "provider_failed",
              "setup_failed",
              "workspace_failed",
              "killed_from_outside",
              "cancelled",
            ),
          },
        },
      },
    )
    .post("/api/runs/async", (call) => startScenario.run(services, call.body, abandoned, requesterOf(call)), {
      body: RunRequest,
      response: startScenario.output,
      detail: {
        ...about(startScenario, "runs", "Watch it at `/api/runs/{id}/stream`, read it at `/api/sessions/{id}`."),
        parameters: [KEY_PARAMETER],
        requestBody: RUN_BODY,
        responses: {
          200: answer("Started, or waiting for its turn.", { session_id: EXAMPLES.session.session_id }),
          ...failures(...BEFORE_A_RUN),
        },
      },
    })
    .get(
      "/api/runs/:id/stream",
      async ({ params: { id }, query, request, server }) => {
        await demandInFlight(services, id);
        if (request.method === "HEAD") return new Response(null, { headers: EVENT_STREAM_HEADERS });
        server?.timeout(request, 0);
        const after = request.headers.get("last-event-id") ?? undefined;
        return streams.open(id, (signal) => followRun(services.store, id, signal), {
          after,
          ids: after !== undefined || query.ids === "1",
          idleTimeout: (seconds) => server?.timeout(request, seconds),
        });
      },
      {
        params: SessionInPath,
        query: StreamQuery,
        // The schema describes each frame.
        response: RunEvent,
        detail: {
          operationId: "streamRun",
          tags: ["runs"],
          summary: "Watch a run",
          description:
            "Server-sent events of a run in flight: every event so far, in order, then the live ones. Ends after `verdict_ready` or `session_failed`; by then the session can be read. A comment line keeps a quiet stream open. With `ids=1` or a `Last-Event-ID` header each event carries its id.",
          responses: {
            200: frames(EXAMPLES.events),
            ...failures("not_live", "overloaded"),
          },
        },
      },
    )
    .post(
      "/api/verdicts",
      (call) => patiently(call, () => rejudge.run(services, call.body, abandoned, requesterOf(call))),
      {
        body: VerdictRequest,
        response: rejudge.output,
        detail: {
          ...about(rejudge, "verdicts", "Arms of different scenarios are refused before anything else."),
          parameters: [KEY_PARAMETER],
          requestBody: body({
            same_session: {
              arm_a: EXAMPLES.verdict.arm_a,
              arm_b: EXAMPLES.verdict.arm_b,
              judge_model: "anthropic/claude-opus-4-5",
            },
            two_sessions: {
              arm_a: EXAMPLES.verdict.arm_a,
              arm_b: {
                session_id: "session-pager-last-page-20260103T101500000Z",
                arm_id: EXAMPLES.verdict.arm_a.arm_id,
              },
            },
          }),
          responses: {
            200: answer("The new verdict.", EXAMPLES.verdict),
            ...failures(
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
            ),
          },
        },
      },
    )
    .delete(
      "/api/runs/:id",
      ({ params, set }) => {
        set.status = 202;
        return cancelRun(services, params.id);
      },
      {
        params: SessionInPath,
        response: { 202: RunStarted },
        detail: {
          operationId: "cancelRun",
          tags: ["extension"],
          summary: "Cancel a run",
          description:
            "Stops a run in flight or queued. Its stream ends with `session_failed`, code `cancelled`; the session keeps what there is.",
          responses: {
            202: answer("The run is stopping.", { session_id: EXAMPLES.session.session_id }),
            ...failures("not_live"),
          },
        },
      },
    );

const StreamQuery = Type.Object(
  {
    ids: Type.Optional(
      Type.String({
        description:
          "`1`: each event comes with its `id`. Send it back as `Last-Event-ID` to continue the stream after it.",
      }),
    ),
  },
  // Fields of others stand beside it: a browser's EventSource can send a proxy's token nowhere else.
  { additionalProperties: true },
);
