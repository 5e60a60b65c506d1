import { Type } from "@sinclair/typebox";
import type { RunEvent } from "../../domain/event.ts";
import { Failure } from "../../domain/failure.ts";
import { RunRequest } from "../../domain/request.ts";
import { record } from "../../domain/schema.ts";
import { isFinal, SessionId, type SessionOutcome } from "../../domain/session.ts";
import { followRun } from "../../operation/follow-run.ts";
import { cancelRun, runScenario as operation, startRun } from "../../operation/runs.ts";
import type { Services } from "../../operation/services.ts";
import { getSession } from "../../operation/sessions.ts";
import { type Answer, type CallContext, SPENDS, tool } from "../tool.ts";
import { decisionLine } from "../view/decisions-page.ts";
import { SessionSummary, summaryThatFits } from "../view/session-summary.ts";
import { summaryText } from "../view/summary-text.ts";

/** Seconds. Clients give up a call after a minute. */
const MAX_WAIT_S = 50;

const RunResult = record("RunResult", {
  session_id: SessionId,
  finished: Type.Boolean({ description: "False: it goes on in the background; ask get_session." }),
  summary: SessionSummary,
});

export const runScenario = tool({
  name: operation.name,
  title: "Run a scenario",
  description:
    "Runs both arms of a scenario on the same task, checks their work and has a judge compare them. " +
    "Spends model tokens unless the arms are scripted (list_scenarios shows the models); a run takes seconds to many minutes. " +
    "Answers with the session id at once, and the run goes on in the background; with wait_seconds it waits that long and answers with the verdict when the run is done by then. " +
    "Cancelling the call while it waits cancels the run. Next: get_session with the id, until state is completed or failed.",
  input: record("RunToolRequest", {
    ...RunRequest.properties,
    wait_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_WAIT_S,
        description: `Seconds to wait for the end, 0 to ${MAX_WAIT_S}. Default 0.`,
      }),
    ),
  }),
  output: RunResult,
  annotations: SPENDS,
  live: true,
  async call(services, { wait_seconds = 0, ...request }, context): Promise<Answer<typeof RunResult>> {
    const { session_id, done } = await startRun(services, request);
    if (wait_seconds > 0) await watch(services, session_id, done, wait_seconds * 1_000, context);
    else if (context.signal.aborted) await stop(services, session_id);
    const outcome = await getSession.run(services, { session_id }, context.signal);
    return answer(outcome);
  },
});

/** Waits until the run ends, the time is over or the client cancels. */
async function watch(
  services: Services,
  session_id: string,
  done: Promise<SessionOutcome>,
  wait_ms: number,
  { signal, tell }: CallContext,
): Promise<void> {
  const over = AbortSignal.any([signal, AbortSignal.timeout(wait_ms)]);
  const told = tell ? report(services, session_id, tell, over) : Promise.resolve();
  await Promise.race([Promise.all([done, told]), aborted(over)]);
  if (signal.aborted) await stop(services, session_id);
}

async function report(
  { store }: Services,
  session_id: string,
  tell: NonNullable<CallContext["tell"]>,
  over: AbortSignal,
): Promise<void> {
  for await (const { event } of followRun(store, session_id, over)) {
    await tell(eventText(event));
  }
}

function eventText(event: RunEvent): string {
  if (event.event === "decision") return `${event.arm_id} ${decisionLine(event.decision)}`;
  if (event.event === "arm_finished") return `${event.arm_id} stopped`;
  if (event.event === "verdict_ready") return `verdict: ${event.verdict.statement}`;
  return `failed at stage ${event.stage}: ${event.message}`;
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}

/** A run that has just ended needs no stopping. */
async function stop(services: Services, session_id: string): Promise<void> {
  try {
    await cancelRun(services, session_id);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "not_live") throw error;
  }
}

function answer(outcome: SessionOutcome): Answer<typeof RunResult> {
  const { session_id, state } = outcome;
  const finished = isFinal(state);
  const next = finished
    ? `Next: get_session with session_id "${session_id}" and detail "criteria" for the reasons, "decisions" or "diff" for what the arms did.`
    : `It goes on in the background. Next: get_session with session_id "${session_id}".`;
  return summaryThatFits(outcome, (summary) => ({
    structured: { session_id, finished, summary },
    text: `${summaryText(summary)}\n${next}`,
  }));
}
