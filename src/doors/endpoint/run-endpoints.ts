import { Type } from "@sinclair/typebox";
import { RunEvent } from "../../domain/event.ts";
import { JudgeProfiles, JudgesRequest } from "../../domain/judge-profile.ts";
import { RunRequest, RunStarted, VerdictRequest } from "../../domain/request.ts";
import {
  SelfTest,
  SelfTestListing,
  SelfTestListRequest,
  SelfTestRequest,
  SelfTestStarted,
} from "../../domain/self-test.ts";
import { SELF_TEST_CALLS } from "../../domain/self-test-sentence.ts";
import { SessionOutcome } from "../../domain/session.ts";
import { Verdict } from "../../domain/verdict.ts";
import { Vote, VoteRequest } from "../../domain/vote.ts";
import { BEFORE_A_RUN, endpoint, FRAMES, newestFirst, SessionInPath } from "./endpoint.ts";
import { EXAMPLES } from "./examples.ts";

const RUNS = {
  as_written: { scenario: EXAMPLES.session.scenario },
  other_models: {
    scenario: EXAMPLES.session.scenario,
    model_override: "openai/gpt-5",
    judge_model: "builtin/evidence",
  },
};

const STARTED = { session_id: EXAMPLES.session.session_id };

const { arm_a, arm_b } = EXAMPLES.verdict;

/** A page is limited, because each self-test is read whole to be listed. */
const SELF_TESTS_PAGE = 100;

const { scenario, judge, self_test_id } = EXAMPLES.self_test;
const { order, choice, reason } = EXAMPLES.vote;

/** What starts, shows, stops and judges runs. */
export const RUN_ENDPOINTS = {
  runScenario: endpoint("POST /api/runs", {
    tag: "runs",
    title: "Run a scenario and wait",
    description:
      "Runs both arms and the judge, and answers with the outcome when the judge is done. Spends model tokens. A client that goes away loses nothing: the run goes on and is stored. A run that fails answers with its error; `details.session_id` names the session, which keeps what there is.",
    body: RunRequest,
    requests: RUNS,
    keyed: true,
    slow: true,
    answer: "The outcome.",
    example: EXAMPLES.session,
    output: SessionOutcome,
    checked: true,
    failures: [
      ...BEFORE_A_RUN,
      "not_allowed",
      "provider_failed",
      "cost_limit_reached",
      "setup_failed",
      "workspace_failed",
      "killed_from_outside",
      "cancelled",
    ],
  }),
  startScenario: endpoint("POST /api/runs/async", {
    tag: "runs",
    title: "Start a run",
    description:
      "Starts a run in the background and answers with its id at once. Spends model tokens. Watch it at `/api/runs/{id}/stream`, read it at `/api/sessions/{id}`.",
    body: RunRequest,
    requests: RUNS,
    keyed: true,
    answer: "Started, or waiting for its turn.",
    example: STARTED,
    output: RunStarted,
    failures: [...BEFORE_A_RUN, "not_allowed"],
  }),
  streamRun: endpoint("GET /api/runs/:id/stream", {
    tag: "runs",
    title: "Watch a run",
    description:
      "Server-sent events of a run in flight: every event so far, in order, then the live ones. Ends after `verdict_ready` or `session_failed`; by then the session can be read. A comment line keeps a quiet stream open. With `ids=1` or a `Last-Event-ID` header each event carries its id.",
    fields: Type.Object(
      {
        ...SessionInPath,
        ids: Type.Optional(
          Type.String({
            description:
              "`1`: each event comes with its `id`. Send it back as `Last-Event-ID` to continue the stream after it.",
          }),
        ),
      },
      // Fields of others stand beside it: a browser's EventSource can send a proxy's token nowhere else.
      { additionalProperties: true },
    ),
    ...FRAMES,
    output: RunEvent,
    failures: ["not_live", "overloaded"],
  }),
  rejudge: endpoint("POST /api/verdicts", {
    tag: "verdicts",
    title: "Judge two stored arms",
    description:
      "A new verdict on two arms that have run, of one session or of two sessions of the same scenario, without running them again. Spends the judge's tokens. Arms of different scenarios are refused before anything else.",
    body: VerdictRequest,
    requests: {
      same_session: { arm_a, arm_b, judge_model: "anthropic/claude-opus-4-5" },
      two_sessions: {
        arm_a,
        arm_b: { session_id: "session-pager-last-page-20260103T101500000Z", arm_id: arm_a.arm_id },
      },
    },
    keyed: true,
    slow: true,
    answer: "The new verdict.",
    example: EXAMPLES.verdict,
    output: Verdict,
    failures: [
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
  }),
  cancelRun: endpoint("DELETE /api/runs/:id", {
    tag: "extension",
    title: "Cancel a run",
    description:
      "Stops a run in flight or queued. Its stream ends with `session_failed`, code `cancelled`; the session keeps what there is.",
    fields: Type.Object(SessionInPath),
    status: 202,
    answer: "The run is stopping.",
    example: STARTED,
    output: RunStarted,
    failures: ["not_live"],
  }),
};

/** What examines judges and takes votes. */
export const JUDGE_ENDPOINTS = {
  startSelfTest: endpoint("POST /api/self-tests", {
    tag: "extension",
    title: "Test a judge on a scenario",
    description: `Asks the judge about evidence of which the right answer is known, made from the scenario's fixture and reference fix, until it is told whether the judge errs in at most 10% or in at least 30%: ${SELF_TEST_CALLS} and no arm. Spends the judge's tokens. Read it at \`/api/self-tests/{id}\`.`,
    body: SelfTestRequest,
    requests: { as_written: { scenario }, another_judge: { scenario, judge_model: judge.model, max_cost_usd: 5 } },
    keyed: true,
    status: 202,
    answer: "Started, or waiting for its turn.",
    example: { self_test_id },
    output: SelfTestStarted,
    failures: BEFORE_A_RUN,
  }),
  listSelfTests: endpoint("GET /api/self-tests", {
    tag: "extension",
    title: "List self-tests",
    description: `Self-tests of judges, newest first: what is stored, and what runs on this server or failed there. A page has ${SELF_TESTS_PAGE} unless \`limit\` says otherwise; the \`Link\` header names the next.`,
    fields: SelfTestListRequest,
    ...newestFirst(SelfTestListing, EXAMPLES.self_test_row, { by: "self_test_id", limit: SELF_TESTS_PAGE }),
    failures: ["unknown_self_test", "storage_failed"],
  }),
  getSelfTest: endpoint("GET /api/self-tests/:id", {
    tag: "extension",
    title: "Get a self-test",
    description:
      "What a self-test of a judge found, part by part. Also while it runs. One that failed is remembered until the server stops.",
    fields: Type.Object({ id: Type.String({ description: "Self-test id.", examples: [self_test_id] }) }),
    answer: "What was found so far.",
    example: EXAMPLES.self_test,
    output: SelfTest,
    failures: ["unknown_self_test", "storage_failed"],
  }),
  listJudges: endpoint("GET /api/judges", {
    tag: "extension",
    title: "Profile judges",
    description:
      "What stored verdicts say about each judge: how often it is undecided, follows the order of presentation, or contradicts itself or the hidden checks. Reads the newest 1,000 sessions; spends nothing.",
    fields: JudgesRequest,
    slow: true,
    answer: "A profile for each judge, protocol and prompt.",
    example: EXAMPLES.judges,
    output: JudgeProfiles,
    failures: ["storage_failed"],
  }),
  vote: endpoint("POST /api/sessions/:id/votes", {
    tag: "extension",
    title: "Vote on two arms",
    description:
      "Keeps whom a person prefers of two arms, and why. Votes are no part of a verdict and no judge sees them; `GET /api/judges` says how often they agree with each judge. Who votes is not checked, nor whether the vote was blind. The votes of a session stand in its outcome, as `votes`.",
    fields: Type.Object(SessionInPath),
    body: VoteRequest,
    requests: {
      blind: { order, choice, blind: true, reason },
      on_a_verdict: { verdict_id: EXAMPLES.verdict.verdict_id, order: "ab", choice: "tie", blind: false },
    },
    answer: "The vote as it is stored.",
    example: EXAMPLES.vote,
    output: Vote,
    failures: [
      "unknown_session",
      "session_not_finished",
      "overloaded",
      "interrupted",
      "storage_full",
      "storage_failed",
    ],
  }),
};
