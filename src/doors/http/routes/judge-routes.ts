import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { JudgesRequest } from "../../../domain/judge-profile.ts";
import { SelfTestRequest, SelfTestStarted } from "../../../domain/self-test.ts";
import { VoteRequest } from "../../../domain/vote.ts";
import { getSelfTest, listJudges, listSelfTests, startSelfTest, voteOnSession } from "../../operation/judging.ts";
import { about, answer, body, failures } from "../openapi/describe.ts";
import { EXAMPLES } from "../openapi/examples.ts";
import { KEY_PARAMETER } from "../requester.ts";
import { integer, LINK_HEADERS, paged, patiently, type RouteContext, refuseTwice, SessionInPath } from "./query.ts";
import { BEFORE_A_RUN } from "./run-routes.ts";

/** A page is limited, because each self-test is read whole to be listed. */
const SELF_TESTS_PAGE = 100;

/** Routes that examine judges and take votes. */
export const judgeRoutes = ({ services, abandoned, requesterOf }: RouteContext) =>
  new Elysia({ name: "judge-routes" })
    .post(
      "/api/self-tests",
      async (call) => {
        call.set.status = 202;
        return await startSelfTest.run(services, call.body, abandoned, requesterOf(call));
      },
      {
        body: SelfTestRequest,
        response: { 202: SelfTestStarted },
        detail: {
          ...about(startSelfTest, "extension", "Read it at `/api/self-tests/{id}`."),
          parameters: [KEY_PARAMETER],
          requestBody: body({
            as_written: { scenario: EXAMPLES.self_test.scenario },
            another_judge: { scenario: EXAMPLES.self_test.scenario, judge_model: EXAMPLES.self_test.judge.model },
          }),
          responses: {
            202: answer("Started, or waiting for its turn.", { self_test_id: EXAMPLES.self_test.self_test_id }),
            ...failures(...BEFORE_A_RUN),
          },
        },
      },
    )
    .get(
      "/api/self-tests",
      ({ query, request, set }) =>
        paged({
          ...{ query: { limit: SELF_TESTS_PAGE, ...query }, request, set },
          rows: (asked) => listSelfTests.run(services, asked, abandoned),
          idOf: ({ self_test_id }) => self_test_id,
        }),
      {
        transform: [refuseTwice, integer("limit")],
        query: listSelfTests.input,
        response: listSelfTests.output,
        detail: {
          ...about(
            listSelfTests,
            "extension",
            `A page has ${SELF_TESTS_PAGE} unless \`limit\` says otherwise; the \`Link\` header names the next.`,
          ),
          responses: {
            200: { ...answer("Newest first.", [EXAMPLES.self_test_row]), headers: LINK_HEADERS },
            ...failures("invalid_request", "unknown_self_test", "storage_failed"),
          },
        },
      },
    )
    .get("/api/self-tests/:id", ({ params }) => getSelfTest.run(services, { self_test_id: params.id }, abandoned), {
      params: Type.Object({
        id: Type.String({ description: "Self-test id.", examples: [EXAMPLES.self_test.self_test_id] }),
      }),
      response: getSelfTest.output,
      detail: {
        ...about(getSelfTest, "extension", "One that failed is remembered until the server stops."),
        responses: {
          200: answer("What was found so far.", EXAMPLES.self_test),
          ...failures("unknown_self_test", "storage_failed"),
        },
      },
    })
    .get(
      "/api/judges",
      (call) => {
        const signal = AbortSignal.any([call.request.signal, abandoned]);
        return patiently(call, () => listJudges.run(services, call.query, signal));
      },
      {
        transform: refuseTwice,
        query: JudgesRequest,
        response: listJudges.output,
        detail: {
          ...about(listJudges, "extension"),
          responses: {
            200: answer("A profile for each judge, protocol and prompt.", EXAMPLES.judges),
            ...failures("invalid_request", "storage_failed"),
          },
        },
      },
    )
    .post(
      "/api/sessions/:id/votes",
      ({ params: { id }, body: asked }) => voteOnSession.run(services, { session_id: id, ...asked }, abandoned),
      {
        params: SessionInPath,
        body: VoteRequest,
        response: voteOnSession.output,
        detail: {
          ...about(voteOnSession, "extension", "The votes of a session stand in its outcome, as `votes`."),
          requestBody: body({
            blind: {
              order: EXAMPLES.vote.order,
              choice: EXAMPLES.vote.choice,
              blind: true,
              reason: EXAMPLES.vote.reason,
            },
            on_a_verdict: { verdict_id: EXAMPLES.verdict.verdict_id, order: "ab", choice: "tie", blind: false },
          }),
          responses: {
            200: answer("The vote as it is stored.", EXAMPLES.vote),
            ...failures(
              "invalid_request",
              "body_too_large",
              "unsupported_media_type",
              "unknown_session",
              "session_not_finished",
              "overloaded",
              "interrupted",
              "storage_full",
              "storage_failed",
            ),
          },
        },
      },
    );
