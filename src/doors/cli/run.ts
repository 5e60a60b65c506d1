import { prepareSession, type RunOptions } from "../../comparison/planning/prepare-session.ts";
import { readScenario } from "../../comparison/scenario/load-scenario.ts";
import { type LoadedScenario, oneMember } from "../../comparison/scenario/loaded-scenario.ts";
import { CANCELLED, watchCancel } from "../../comparison/session/cancel.ts";
import { startSession } from "../../comparison/session/start-session.ts";
import type { StartedSession } from "../../comparison/session/started-session.ts";
import { cut } from "../../domain/excerpt.ts";
import { type Failure, orThrow } from "../../domain/failure.ts";
import type { SessionOutcome } from "../../domain/session.ts";
import { setupFailureOf } from "../../domain/setup-failure.ts";
import { followRun } from "../operation/follow-run.ts";
import { verdictCard } from "../report/card.ts";
import { verdictMarkdown } from "../report/markdown.ts";
import { reportedSession } from "../report/reported.ts";
import { verdictHtml } from "../report/verdict-html.ts";
import { complain, EXIT, exitCodeOfCommand, onInterrupt } from "./exit-code.ts";
import { configuredArguments } from "./flags/configured.ts";
import { UsageError } from "./flags/parse-arguments.ts";
import { RUN, type RunArguments, replacementOf } from "./flags/run-flags.ts";
import { junitOf } from "./reports/junit.ts";
import { openNotify } from "./reports/notify.ts";
import { sendTelemetry, telemetryLines } from "./reports/otel.ts";
import { deliver, openReports } from "./reports/reports.ts";
import { checkoutInputs } from "./services/checkout-inputs.ts";
import type { OpenedStore } from "./services/open-store.ts";
import { isRecordedWhole } from "./services/recordings.ts";
import { demandStdout, openRun } from "./services/services.ts";
import { openProgress } from "./terminal/lanes.ts";
import { Painter } from "./terminal/paint.ts";
import { summarise } from "./terminal/summary.ts";
import { toolIn, withFiles } from "./tools.ts";

/** `abeval run`: stdout holds the verdict and nothing else. Returns the exit status. */
export const command = (args: readonly string[]): Promise<number> =>
  exitCodeOfCommand(RUN.name, async () => await run(args));

/** Flags that make a series of a single file too. */
const SERIES_FLAGS = RUN.groups["Several runs (a series)"].filter((flag) => flag !== "by");

async function run(args: readonly string[]): Promise<number> {
  const named = await configuredArguments(RUN, args);
  const instead = toolIn(named);
  if (instead) return await instead;
  const parsed = await withFiles(named);
  const stray = (["arms", "tie-margin"] as const).find((flag) => parsed.value(flag) !== undefined);
  if (stray) throw new UsageError(`--${stray} goes with --results, which compares results of a table`);
  if (parsed.value("from") !== undefined) throw new UsageError("--from goes with --new, which writes a scenario");
  if (isSeries(parsed)) return await runMany(parsed);
  return await runOne(parsed);
}

/** Whether more than one run is asked for. */
const isSeries = ({ parameters, given }: RunArguments): boolean =>
  parameters.length > 1 || SERIES_FLAGS.some((flag) => given().includes(flag));

async function runMany(args: RunArguments): Promise<number> {
  if (args.has("single"))
    throw new UsageError("--single goes with one run; this is a series, whose trials open the gate, so leave it out");
  return await (await import("./run-series.ts")).runSeries(args);
}

async function runOne(args: RunArguments): Promise<number> {
  const { value, usd, has } = args;
  demandStdout("verdict");
  const max_cost_usd = usd("max-cost");
  const seed = value("seed");
  const [file = ""] = args.parameters;
  const { result, sources, committed } = await readScenario({ path: file, file });
  const read = orThrow(result);
  if (holdsMany(read, value("input"))) return await runMany(args);
  if (value("by") !== undefined) throw new UsageError("--by groups the rows of a series; this is one run");
  const loaded = await oneMember(read, value("input"));
  const prepared = await openRun(args, {
    scenarios_dirs: [loaded.directory],
    max_sessions: 1,
    max_queued: 0,
    record: value("record"),
  });
  const plan = await prepareSession(prepared, loaded, {
    ...replacementOf(args),
    ...(await editedOf(args, prepared, { sources, committed, scenarios: [loaded] })),
    ...(max_cost_usd !== undefined && { max_cost_usd }),
    ...(seed !== undefined && { seed }),
    single: has("single"),
  });
  if (seed !== undefined && plan.settings.scripts === undefined)
    prepared.notice("--seed has no effect: no arm replays one of several scripts");
  const reports = openReports(args, sources);
  const tell = openNotify(args, prepared);
  // It runs here also where others could: they only see it.
  await using opened = await prepared.openStore();
  const { store } = opened;
  const services = { ...prepared, store };
  const painter = new Painter(!has("no-color"));
  const progress = has("quiet") ? undefined : openProgress(plan.scenario, painter, services.clock);
  const session = await startSession(services, plan);
  const followed = progress?.follow(followRun(store, session.session_id, undefined, session.done));
  const stop = (reason: Failure) => services.runs.live(session.session_id)?.cancel(reason);
  using _cancelled = cancelledByOthers(opened, session, stop);
  onInterrupt("run", stop);
  const outcome = await session.done;
  await followed;
  const delivered = await deliver(outcome.verdict, reports, {
    otel: () => telemetryLines(args, services, [outcome]),
    junit: () => junitOf(outcome),
    markdown: () => verdictMarkdown(reportedSession(outcome)),
    html: () => verdictHtml(reportedSession(outcome)),
    card: () => verdictCard(reportedSession(outcome)),
  });
  await sendTelemetry(args, services, [outcome]);
  await tell(session.session_id, resultText(outcome));
  const status = exitCodeOf(outcome);
  if (!has("quiet")) process.stderr.write(summarise(outcome, painter));
  if (outcome.failure) return complain(failureText(outcome, store.persistent), status);
  return delivered && isRecordedWhole(services.recordings) ? status : EXIT.failed;
}

/** Rows of a table that none was chosen of, or more arms than one run compares. */
const holdsMany = ({ table, definition }: LoadedScenario, input: string | undefined): boolean =>
  (table !== undefined && input === undefined) || definition.arms.length > 2;

async function editedOf(
  ...asked: Parameters<typeof checkoutInputs>
): Promise<Pick<RunOptions, "inputs_from_checkout">> {
  const inputs_from_checkout = await checkoutInputs(...asked);
  return inputs_from_checkout ? { inputs_from_checkout } : {};
}

function exitCodeOf({ state, verdict, failure }: SessionOutcome): number {
  if (state === "cancelled" || state === "interrupted") return EXIT.interrupted;
  if (verdict === null || failure !== null) return EXIT.failed;
  return verdict.outcome === "invalid" ? EXIT.invalid : EXIT.done;
}

/** Without what an arm, a command or a provider printed: whoever reads it may not be meant to. */
const resultText = ({ scenario, verdict, failure, state }: SessionOutcome): string =>
  `${scenario}: ${verdict?.statement ?? `${state} (stage ${failure?.stage}, ${failure?.code})`}`;

/** Says what went wrong, and what remains of the paid work. */
function failureText({ failure, session_id, arms }: SessionOutcome, persistent: boolean): string {
  const text = `${shortly(failure?.message ?? "")} (stage ${failure?.stage}, ${failure?.code})`;
  if (failure?.stage !== "judging" || arms.some(({ changes }) => changes === null)) return text;
  if (failure.code === "storage_full" || failure.code === "storage_failed") return text;
  if (!persistent) return `${text}\nThe arms' work is gone with this process; --state-dir would have kept it.`;
  return `${text}\nBoth arms are kept in ${session_id}: judge them again with POST /api/verdicts or the MCP tool rejudge.`;
}

/** Lines at the end of a setup's output that a terminal shows. The session has them all. */
const LAST_LINES = 8;
const LINE_CHARS = 200;

function shortly(message: string): string {
  const { why, printed } = setupFailureOf(message);
  if (printed.length === 0) return why;
  const before = printed.length - LAST_LINES;
  const last = printed.slice(-LAST_LINES).map((line) => `\n    ${cut(line, LINE_CHARS)}`);
  return `${why}${before > 0 ? `, and printed ${printed.length} lines; the last:` : ", and printed:"}${last.join("")}\n `;
}

/** Others who share the store see the run, and may stop it. */
function cancelledByOthers(
  { shared }: OpenedStore,
  { session_id }: StartedSession,
  stop: (reason: Failure) => void,
): Disposable | undefined {
  if (!shared) return undefined;
  const asked = new AbortController();
  asked.signal.addEventListener("abort", () => stop(CANCELLED), { once: true });
  return watchCancel(shared, { session_id, after: 0 }, asked);
}
