import { Failure, orThrow } from "../domain/failure.ts";
import { plainJson, plainText } from "../domain/plain-text.ts";
import type { SessionOutcome } from "../domain/session.ts";
import { followRun } from "../operation/follow-run.ts";
import { sessionHtml } from "../report/session-html.ts";
import { markdownOf } from "../report/session-markdown.ts";
import { readScenario } from "../scenario/load-scenario.ts";
import { prepareSession } from "../session/prepare-session.ts";
import type { Runs } from "../session/runs.ts";
import { CANCELLED, watchCancel } from "../session/shared/watch-cancel.ts";
import { startSession } from "../session/start-session.ts";
import type { StartedSession } from "../session/started-session.ts";
import { parseArguments, UsageError } from "./arguments.ts";
import { readPrices } from "./cost-flags.ts";
import { databaseSettings } from "./database-flags.ts";
import { complain, EXIT, exitCodeOf, exitCodeOfCommand } from "./exit-code.ts";
import { junitOf } from "./junit.ts";
import type { OpenedStore } from "./open-store.ts";
import { Painter } from "./paint.ts";
import { openProgress } from "./progress.ts";
import { openReports, type Report, writeReports } from "./reports.ts";
import { isSeries, RUN, type RunArguments, replacementOf } from "./run-arguments.ts";
import { sandboxSettings } from "./sandbox-flags.ts";
import { openServices } from "./services.ts";
import { summarise } from "./summary.ts";
import { isRecordedWhole, tapeSettings } from "./tape-flags.ts";
import { isStdoutClosed, isTerminal, writeStdout } from "./terminal.ts";

/** `abeval run`: stdout holds the verdict and nothing else. Returns the exit status. */
export const command = (args: readonly string[]): Promise<number> =>
  exitCodeOfCommand(RUN.name, async () => await run(args));

async function run(args: readonly string[]): Promise<number> {
  const parsed = await parseArguments(RUN, args);
  if (parsed.has("check")) return await (await import("./check-scenarios.ts")).checkScenarios(parsed);
  if (parsed.has("self-test")) return await (await import("./self-test.ts")).selfTestScenarios(parsed);
  if (parsed.has("new")) return await (await import("./new-scenario.ts")).newScenario(parsed);
  if (parsed.value("from") !== undefined) throw new UsageError("--from goes with --new, which writes a scenario");
  if (parsed.has("json")) throw new UsageError("--json goes with --check or --self-test; a verdict is JSON anyway");
  if (isSeries(parsed)) return await (await import("./run-series.ts")).runSeries(parsed);
  return await runOne(parsed);
}

async function runOne(args: RunArguments): Promise<number> {
  const { parameters, value, usd, has } = args;
  const max_cost_usd = usd("max-cost");
  const seed = value("seed");
  if (isStdoutClosed())
    throw new UsageError("stdout is closed, and the verdict goes there; send it to a file, or to /dev/null");
  // With --keep-workspaces the user must learn where they are, even with --quiet.
  const quiet = has("quiet") && !has("keep-workspaces");
  const notice = (line: string) => quiet || process.stderr.write(`${plainText(line)}\n`);
  // The run goes on when stderr is closed or full.
  if (!has("quiet")) process.stderr.on("error", () => undefined);
  const scenario = parameters[0] ?? "";
  const { result, sources } = await readScenario({ path: scenario, file: scenario });
  const loaded = orThrow(result);
  const prepared = await openServices({
    sandbox: sandboxSettings(args),
    agents_dir: value("agents-dir"),
    state_dir: value("state-dir"),
    database: databaseSettings(args),
    scenarios_dirs: [loaded.directory],
    prices: await readPrices(args),
    tapes: tapeSettings(args, value("record")),
    keep_workspaces: has("keep-workspaces"),
    max_sessions: 1,
    max_queued: 0,
    notice,
  });
  const plan = await prepareSession(prepared, loaded, {
    ...replacementOf(args),
    ...(max_cost_usd !== undefined && { max_cost_usd }),
    ...(seed !== undefined && { seed }),
  });
  if (seed !== undefined && plan.settings.scripts === undefined)
    notice("--seed has no effect: no arm replays one of several scripts");
  const reports = openReports(value, {
    ...{ scenarios: [scenario], sources },
    ...{ prices: value("prices"), state_dir: value("state-dir") },
  });
  // It runs here also where others could: they only see it.
  await using opened = await prepared.openStore();
  const { store } = opened;
  const services = { ...prepared, store };
  const painter = new Painter(!has("no-color"));
  const progress = has("quiet") ? undefined : openProgress(plan.scenario, painter, services.clock);
  const session = await startSession(services, plan);
  const followed = progress?.follow(followRun(store, session.session_id));
  using _cancelled = cancelledByOthers(opened, session, services.runs);
  const outcome = await untilDone(session, services.runs);
  await followed;
  const status = await deliver(outcome, reports);
  if (!has("quiet")) process.stderr.write(summarise(outcome, painter));
  if (outcome.failure) return complain(failureText(outcome, store.persistent), status);
  return isRecordedWhole(services.tapes) ? status : EXIT.failed;
}

/** What went wrong, and what is left of what was paid for. */
function failureText({ failure, session_id, arms }: SessionOutcome, persistent: boolean): string {
  const text = `${failure?.message} (stage ${failure?.stage}, ${failure?.code})`;
  if (failure?.stage !== "judging" || arms.some(({ changes }) => changes === null)) return text;
  if (failure.code === "storage_full" || failure.code === "storage_failed") return text;
  if (!persistent) return `${text}\nThe arms' work is gone with this process; --state-dir would have kept it.`;
  return `${text}\nBoth arms are kept in ${session_id}: judge them again with POST /api/verdicts or the MCP tool rejudge.`;
}

/** Others who share the store see the run, and may stop it. */
function cancelledByOthers(
  { shared }: OpenedStore,
  { session_id }: StartedSession,
  runs: Runs,
): Disposable | undefined {
  if (!shared) return undefined;
  const asked = new AbortController();
  asked.signal.addEventListener("abort", () => runs.live(session_id)?.cancel(CANCELLED), { once: true });
  return watchCancel(shared, { session_id, after: 0 }, asked);
}

/** The first Ctrl-C stops the arms and saves what there is; the second ends the process. */
async function untilDone({ session_id, done }: StartedSession, runs: Runs): Promise<SessionOutcome> {
  const stop = () => {
    process.once("SIGINT", () => process.exit(EXIT.interrupted));
    process.once("SIGTERM", () => process.exit(EXIT.terminated));
    runs.live(session_id)?.cancel(new Failure("cancelled", "The run was interrupted."));
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  return await done;
}

/** Writes to stdout first: the verdict has been paid for, even if a file cannot be written. */
async function deliver(outcome: SessionOutcome, reports: readonly Report[]): Promise<number> {
  const { verdict } = outcome;
  const text = verdict && `${plainJson(JSON.stringify(verdict, null, isTerminal(1) ? 2 : 0))}\n`;
  const taken = text === null || (await writeStdout(text));
  const contents = {
    out: () => text,
    junit: () => junitOf(outcome),
    markdown: () => markdownOf(outcome),
    html: () => sessionHtml(outcome),
  };
  const written = writeReports(reports, (flag) => contents[flag]());
  const status = exitCodeOf(outcome);
  return outcome.failure !== null || (taken && written) ? status : EXIT.failed;
}
