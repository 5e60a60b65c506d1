import { rm } from "node:fs/promises";
import { type Static, Type } from "@sinclair/typebox";
import { ComparisonRequest } from "../../../domain/comparison.ts";
import { type Contest, isContest } from "../../../domain/contest.ts";
import { CONTEST_MODES } from "../../../domain/contest-plan.ts";
import type { RunEvent } from "../../../domain/event.ts";
import { Failure, type FailureCode } from "../../../domain/failure.ts";
import { memberName } from "../../../domain/member.ts";
import { RunRequest } from "../../../domain/request.ts";
import { oneOf, record } from "../../../domain/schema.ts";
import type { Series } from "../../../domain/series.ts";
import { SeriesRequest } from "../../../domain/series-request.ts";
import { isFinal, SeriesId, SessionId, type SessionOutcome } from "../../../domain/session.ts";
import { followRun } from "../../operation/follow-run.ts";
import { followSeries } from "../../operation/follow-series.ts";
import type { Services } from "../../operation/operation.ts";
import { getSession } from "../../operation/reads.ts";
import { cancelRun, startRun } from "../../operation/runs.ts";
import { cancelSeries, getSeries, seriesInFlight, startSeriesOf } from "../../operation/series.ts";
import { type Answer, type CallContext, SPENDS, tool } from "../tool.ts";
import { decisionLine } from "../view/arm-pages.ts";
import { ContestBrief, contestBrief, contestText } from "../view/contest-view.ts";
import { pick } from "../view/pick.ts";
import { briefSeries, briefSeriesText, SeriesBrief } from "../view/series-view.ts";
import { SessionView, summaryText, summaryThatFits } from "../view/session-summary.ts";

/** Seconds. Clients give up a call after a minute. */
const MAX_WAIT_S = 50;

const RunResult = record("RunResult", {
  session_id: Type.Optional(SessionId),
  finished: Type.Boolean({ description: "False: it continues in the background; ask get_session." }),
  summary: Type.Optional(SessionView),
  series_id: Type.Optional(SeriesId),
  series: Type.Optional(SeriesBrief),
  contest: Type.Optional(ContestBrief),
});
type RunResult = Answer<typeof RunResult>;

/** What makes it a series. */
const SERIES_FIELDS = [
  "scenarios",
  "trials",
  "stop_when_sure",
  "stop_at",
  "parallel",
  "max_cost_usd",
  "margin",
  "measure",
  "not_worse_by",
  "cluster",
  "control",
  "contest",
  "continue",
] as const;

const RUN_FIELDS = ["input", "arms", "model_override", "judge_model", "single"] as const;

/** As over HTTP, in fewer words; the control stands beside it. */
const ContestToolRequest = record(
  "ContestToolRequest",
  { mode: Type.Optional(oneOf(CONTEST_MODES)), keep_running: Type.Optional(Type.Boolean()) },
  { description: "Three arms or more: each with the control, or with each." },
);

const RunToolRequest = record("RunToolRequest", {
  comparison: Type.Optional({
    ...ComparisonRequest,
    description: "In place of a name: prompts or models, without a file. It is kept as a scenario.",
  }),
  ...pick(RunRequest.properties, RUN_FIELDS),
  scenario: Type.Optional(RunRequest.properties.scenario),
  ...pick(SeriesRequest.properties, SERIES_FIELDS),
  contest: Type.Optional(ContestToolRequest),
  scenarios: Type.Optional({ ...SeriesRequest.properties.scenarios, description: "Several names, in place of one." }),
  wait_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_WAIT_S,
      description: "Seconds to wait for the end. Default 0.",
    }),
  ),
});
type RunToolRequest = Static<typeof RunToolRequest>;
type AskedRun = Omit<RunToolRequest, "comparison" | "wait_seconds">;

export const runScenario = tool("runScenario", {
  title: "Run a scenario",
  description:
    "Runs the arms of a scenario on the same task, checks their work and has a judge compare them; without a scenario give comparison. " +
    "One run says little: with trials, stop_when_sure or several scenarios it repeats (a series), and says what the runs show together. " +
    "Spends model tokens unless the arms are scripted (list_scenarios shows the models); a run takes seconds to many minutes. " +
    "Answers with the id of session or series at once and continues in the background; with wait_seconds, after that time, with what is known then. " +
    "Cancelling the call while it waits cancels what it started. Next: get_session with the id, until state is completed or failed.",
  input: RunToolRequest,
  output: RunResult,
  annotations: SPENDS,
  live: true,
  async call(services, { wait_seconds = 0, ...given }, context): Promise<RunResult> {
    const { comparison, ...request } = given;
    const wait_ms = wait_seconds * 1_000;
    if (comparison === undefined) return await runAsked(services, request, wait_ms, context);
    return await runComparison(services, { comparison, request, wait_ms }, context);
  },
});

async function runAsked(
  services: Services,
  request: AskedRun,
  wait_ms: number,
  context: CallContext,
): Promise<RunResult> {
  const { scenario, scenarios, input, arms, single, ...options } = request;
  const named = scenariosOf(request);
  const isSeries = SERIES_FIELDS.some((field) => request[field] !== undefined);
  if (isSeries && input !== undefined)
    throw new Failure("invalid_request", "input: names the row of one run; a series runs every row, so leave it out");
  if (isSeries && arms !== undefined)
    throw new Failure("invalid_request", "arms: names the arms of one run; a series compares all, so leave it out");
  if (isSeries && single !== undefined)
    throw new Failure(
      "invalid_request",
      "single: goes with one run; this is a series, whose trials open the gate, so leave it out",
    );
  if (isSeries) return await runSeries(services, { ...options, scenarios: [...named] }, wait_ms, context);
  const [only = ""] = named;
  return await runOnce(services, { ...pick(request, RUN_FIELDS), scenario: only }, wait_ms, context);
}

/** Trials of a comparison whose caller names none: a first look. */
const FIRST_TRIALS = 3;

/** Fields of a request that are about a scenario which the caller knows. */
const OF_A_KNOWN_ONE = ["scenario", "scenarios", "input", "arms", "single", "continue"] as const;

interface AskedComparison {
  readonly comparison: ComparisonRequest;
  readonly request: AskedRun;
  readonly wait_ms: number;
}

/** Keeps a comparison as a scenario, and runs that. @throws Failure; a comparison that is not run is not kept */
async function runComparison(
  services: Services,
  { comparison, request, wait_ms }: AskedComparison,
  context: CallContext,
): Promise<RunResult> {
  const stray = OF_A_KNOWN_ONE.find((field) => request[field] !== undefined);
  if (stray !== undefined)
    throw new Failure("invalid_request", `comparison: goes in the place of a scenario; leave ${stray} out`);
  if (request.trials !== undefined && comparison.trials !== undefined)
    throw new Failure("invalid_request", "comparison.trials: trials is given beside it, too; give one of both");
  const { keepComparison } = await import("../../operation/kept-comparison.ts");
  const { name, file, is_new } = await keepComparison(services, comparison);
  const isSeries = SERIES_FIELDS.some((field) => request[field] !== undefined);
  const trials = comparison.trials ?? (isSeries ? undefined : FIRST_TRIALS);
  const asked = { ...request, scenario: name, ...(trials !== undefined && { trials }) };
  try {
    const answered = await runAsked(services, asked, wait_ms, context);
    const made = `The comparison is the scenario ${name} (${file}); run_scenario runs it again by that name.`;
    return { ...answered, text: `${made}\n${answered.text}` };
  } catch (error) {
    if (is_new && error instanceof Failure && NOT_STARTED.has(error.code)) await rm(file, { force: true });
    throw error;
  }
}

/** What refuses a run before it has an id. */
const NOT_STARTED: ReadonlySet<FailureCode> = new Set([
  "invalid_request",
  "invalid_scenario",
  "credentials_missing",
  "overloaded",
  "sandbox_unavailable",
]);

/** @throws Failure `invalid_request` unless one of both fields says which */
function scenariosOf({ scenario, scenarios }: RunToolRequest): readonly string[] {
  if (scenario !== undefined && scenarios !== undefined)
    throw new Failure("invalid_request", "scenario: give one name here, or several in scenarios, not both");
  if (scenarios !== undefined) return scenarios;
  if (scenario === undefined)
    throw new Failure("invalid_request", "scenario is missing (Scenario name.); several go into scenarios");
  return [scenario];
}

async function runOnce(
  services: Services,
  request: RunRequest,
  wait_ms: number,
  context: CallContext,
): Promise<RunResult> {
  const { session_id, done } = await startRun(services, request);
  const news = async function* (over: AbortSignal) {
    for await (const { event } of followRun(services.store, session_id, over, done)) yield eventText(event);
  };
  const cancel = () => cancelRun(services, { id: session_id }, context.signal);
  await waitFor({ done, news, cancel, ended: "not_live" }, wait_ms, context);
  return answer(await getSession(services, { id: session_id }, context.signal));
}

async function runSeries(
  services: Services,
  request: SeriesRequest,
  wait_ms: number,
  context: CallContext,
): Promise<RunResult> {
  const { series_id, done } = await startSeriesOf(services, request);
  const news = async function* (over: AbortSignal) {
    const series = await seriesInFlight(services, series_id, over);
    if (series === undefined) return;
    const record = await services.store.series.read(series_id);
    const text = record?.plan.contest ? pairText : trialText;
    for await (const { event } of followSeries(services.store, series, over)) yield* text(event);
  };
  const cancel = () => cancelSeries(services, { id: series_id }, context.signal);
  await waitFor({ done, news, cancel, ended: "series_not_running" }, wait_ms, context);
  return seriesAnswer(await getSeries(services, { id: series_id }, context.signal));
}

function eventText(event: RunEvent): string {
  if (event.event === "decision") return `${event.arm_id} ${decisionLine(event.decision)}`;
  if (event.event === "arm_finished") return `${event.arm_id} stopped`;
  if (event.event === "verdict_ready") return `verdict: ${event.verdict.statement}`;
  return `failed at stage ${event.stage}: ${event.message}`;
}

/** Of a contest the verdict on each pair; its figures are of the pair alone, so that they are left out. */
function* pairText(event: RunEvent): Generator<string, void, void> {
  if (event.event === "session_failed") yield failedText(event);
  if (event.event !== "verdict_ready") return;
  const { outcome, winner, arm_a, arm_b } = event.verdict;
  const result = winner === null ? outcome : `${winner} won`;
  yield `${memberName(event.verdict)}, ${arm_a.arm_id} vs ${arm_b.arm_id}: ${result}`;
}

const failedText = ({ session_id, stage, message }: Extract<RunEvent, { event: "session_failed" }>) =>
  `${session_id} failed at stage ${stage}: ${message}`;

/** Progress of a series tells only how each trial ended. */
function* trialText(event: RunEvent): Generator<string, void, void> {
  if (event.event === "session_failed") yield failedText(event);
  if (event.event !== "verdict_ready" || event.verdict.series === null) return;
  const { outcome, winner, series } = event.verdict;
  const { trial, wins, losses, ties, e } = series;
  const result = winner === null ? outcome : `${winner} won`;
  yield `trial ${trial}, ${memberName(event.verdict)}: ${result}; a ${wins}, b ${losses}, no winner ${ties}, evidence ${e.toFixed(1)}`;
}

function answer(outcome: SessionOutcome): RunResult {
  const { session_id, state } = outcome;
  const finished = isFinal(state);
  const next = finished
    ? `Next: get_session with session_id "${session_id}" and detail "criteria" for the reasons, "decisions" or "diff" for what the arms did.`
    : `It continues in the background. Next: get_session with session_id "${session_id}".`;
  return summaryThatFits(outcome, (summary) => ({
    structured: { session_id, finished, summary },
    text: `${summaryText(summary, outcome)}\n${next}`,
  }));
}

function seriesAnswer(report: Series | Contest): RunResult {
  const { series_id } = report;
  const finished = report.state !== "running";
  if (isContest(report)) {
    const goesOn = finished
      ? ""
      : `\nIt continues in the background. Next: get_session with session_id "${series_id}".`;
    return {
      structured: { finished, series_id, contest: contestBrief(report) },
      text: `${contestText(report)}${goesOn}`,
    };
  }
  const series = briefSeries(report);
  const next = finished
    ? `Next: get_session with session_id "${series_id}" for its trials, and with the id of a trial for what happened in it.`
    : `It continues in the background. Next: get_session with session_id "${series_id}".`;
  return { structured: { finished, series_id, series }, text: `${briefSeriesText(series, report)}\n${next}` };
}

/** Something that was started and goes on without the call. */
interface Background {
  readonly done: Promise<unknown>;
  /** What there is to tell on the way, to the end or until the signal fires. */
  readonly news: (over: AbortSignal) => AsyncIterable<string>;
  readonly cancel: () => Promise<unknown>;
  /** What `cancel` fails with when it has ended before. */
  readonly ended: FailureCode;
}

/** Waits until the end or for `wait_ms`, whichever comes first, and tells the client on the way. A cancelled call cancels it. */
async function waitFor(work: Background, wait_ms: number, { signal, tell }: CallContext): Promise<void> {
  if (wait_ms > 0) {
    const over = AbortSignal.any([signal, AbortSignal.timeout(wait_ms)]);
    const told = tell ? tellAll(work.news(over), tell) : Promise.resolve();
    await Promise.race([Promise.all([work.done, told]), aborted(over)]);
  }
  if (signal.aborted) await stop(work);
}

async function tellAll(news: AsyncIterable<string>, tell: NonNullable<CallContext["tell"]>): Promise<void> {
  for await (const text of news) await tell(text);
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}

/** What has just ended needs no stopping. */
async function stop({ cancel, ended }: Background): Promise<void> {
  try {
    await cancel();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== ended) throw error;
  }
}
