import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { prepareSeries, type SeriesSource, seriesSource } from "../../comparison/planning/prepare-series.ts";
import type { SessionServices } from "../../comparison/planning/services.ts";
import { readScenario } from "../../comparison/scenario/load-scenario.ts";
import { type LoadedScenario, membersOf, oneMember } from "../../comparison/scenario/loaded-scenario.ts";
import { againstItself, storedBaseline } from "../../comparison/session/baseline.ts";
import { seriesInFlight } from "../../comparison/session/in-flight.ts";
import { openSeries, startSeries } from "../../comparison/session/open-series.ts";
import { readBundle } from "../../comparison/session/read-bundle.ts";
import type { StartedSeries } from "../../comparison/session/started-session.ts";
import type { Baseline } from "../../domain/baseline.ts";
import { columnNamed, columnsOf, fieldsOf } from "../../domain/columns.ts";
import { type Contest, isContest } from "../../domain/contest.ts";
import type { NamedInput } from "../../domain/editable-inputs.ts";
import { Failure, orThrow } from "../../domain/failure.ts";
import { plainText } from "../../domain/plain-text.ts";
import type { Series } from "../../domain/series.ts";
import { MAX_PARALLEL } from "../../domain/series-record.ts";
import { SeriesId, type SessionOutcome } from "../../domain/session.ts";
import { readSession } from "../../store/read-session.ts";
import { seriesOrContest } from "../operation/find-series.ts";
import { complain, EXIT, onInterrupt } from "./exit-code.ts";
import { comparedBy } from "./flags/compared-by.ts";
import { marginOf, UsageError } from "./flags/parse-arguments.ts";
import { commandOf, type RunArguments, replacementOf } from "./flags/run-flags.ts";
import { formsOf } from "./reports/forms.ts";
import { openNotify } from "./reports/notify.ts";
import { sendTelemetry, telemetryLines } from "./reports/otel.ts";
import { deliver, openReports } from "./reports/reports.ts";
import { checkoutInputs } from "./services/checkout-inputs.ts";
import { isRecordedWhole } from "./services/recordings.ts";
import { demandStdout, openRun, type PreparedServices } from "./services/services.ts";
import { Painter } from "./terminal/paint.ts";
import { inPlaceOfJson } from "./terminal/series-text.ts";
import { tellTrials } from "./terminal/tell-trials.ts";
/** `abeval run` of several files, or of one again and again: stdout holds one Series, as JSON unless it is a terminal. Returns the exit status. */
export async function runSeries(args: RunArguments): Promise<number> {
  const { value, has } = args;
  demandStdout("series");
  const { source, sources, committed } = await readAll(args.parameters, { aa: value("aa"), input: value("input") });
  const options = optionsOf(args, source.scenarios);
  const by = value("by");
  demandColumn(source, by);
  const prepared = await openRun(args, {
    scenarios_dirs: [...new Set(source.scenarios.map(({ directory }) => directory))],
    ...placesOf(source.scenarios, options.parallel),
    record: value("record"),
  });
  const goOn = keptSeries(args, prepared);
  const baseline = await baselineIn(args, source.scenarios.length);
  // A series that is refused leaves no state directory behind.
  const begun = typeof baseline !== "string" && begins(goOn, prepared);
  const inputs_from_checkout = await checkoutInputs(args, prepared, { ...source, sources, committed, baseline });
  const read = { ...source, ...(typeof baseline === "object" && { baseline }), inputs_from_checkout };
  const setup = begun ? await prepareSeries(prepared, read, options) : undefined;
  const reports = openReports(args, sources);
  const tell = openNotify(args, prepared);
  await using opened = await prepared.openStore();
  const { store } = opened;
  // Workers lack the file of a bundle: such a series runs here, and they only see it.
  const services = typeof baseline === "object" ? { ...prepared, store } : { ...prepared, ...opened };
  const painter = new Painter(!has("no-color"));
  const started = await (setup
    ? startSeries(services, setup)
    : openSeries(services, await withBaseline(read, baseline, store), { ...options, goOn }));
  const told = has("quiet") ? undefined : tellTrials(services, started, painter).catch(untold);
  const record = await untilDone(started, services);
  await told;
  const series = await seriesOrContest(store, record, by);
  const again = commandOf(args);
  const { summary, ...forms } = formsOf(series, { painter, again, store });
  const delivered = await deliver(series, reports, {
    shown: inPlaceOfJson(summary, args, painter),
    otel: () => telemetryLines(args, prepared, sessionsOf(series, store)),
    ...forms,
  });
  await sendTelemetry(args, prepared, sessionsOf(series, store));
  await tell(series.series_id, series.statement);
  const status = statusOf(series, value("aa") !== undefined);
  if (!has("quiet")) process.stderr.write(summary);
  if (series.failure !== null) return complain(series.failure, status);
  if (status === EXIT.preferred) return complain(PREFERRED, status);
  return delivered && isRecordedWhole(prepared.recordings) ? status : EXIT.failed;
}

/** The sessions that are still kept: memory holds the latest. */
async function* sessionsOf(
  { trials }: Pick<Series | Contest, "trials">,
  store: SessionServices["store"],
): AsyncGenerator<SessionOutcome> {
  for (const { session_id } of trials) {
    const session = session_id === undefined ? undefined : await readSession(store, session_id);
    if (session) yield session;
  }
}

/** A bundle, or the id of a stored series. @throws UsageError, Failure `invalid_request` */
async function baselineIn(args: RunArguments, members: number): Promise<Baseline | string | undefined> {
  const named = args.value("baseline");
  if (named === undefined) return undefined;
  if (args.value("aa") !== undefined) throw new UsageError("--baseline does not go with --aa, in which both arms run");
  if (!isRepeated(args) && members < 2) throw new UsageError("--baseline goes with --trials: one trial shows nothing");
  if (args.value("record") !== undefined || args.value("replay") !== undefined)
    throw new UsageError("--baseline does not go with recordings: an arm of it does not run");
  const state_dir = args.value("state-dir");
  const kept = state_dir === undefined ? undefined : resolve(state_dir, "checked-baselines");
  return SERIES_ID.test(named) ? named : await readBundle(named, { kept });
}

const SERIES_ID = new RegExp(SeriesId.pattern ?? "");

const withBaseline = async (
  source: SeriesSource,
  baseline: Baseline | string | undefined,
  store: SessionServices["store"],
) => (typeof baseline === "string" ? { ...source, baseline: await storedBaseline(store, baseline) } : source);

/** Before anything is spent. @throws Failure `invalid_request` for a column by which nothing can be grouped */
function demandColumn({ scenarios }: SeriesSource, by: string | undefined): void {
  const rows = scenarios.map(({ definition }) => definition);
  if (by !== undefined) columnNamed(columnsOf(rows), by, fieldsOf(rows));
}

/** The series goes on and is reported even when its trials cannot be followed. */
const untold = (error: unknown) => void process.stderr.write(plainText(`the trials cannot be followed: ${error}\n`));

type Keeping = Pick<PreparedServices, "in_database">;

/** A series in a database is prepared later: its workers are known only when the database is open. */
const begins = (goOn: string | undefined, { in_database }: Keeping) => goOn === undefined && !in_database;

/** The series to go on with. @throws UsageError where it cannot be */
function keptSeries({ value }: RunArguments, { in_database }: Keeping): string | undefined {
  const [goOn, state_dir] = [value("continue"), value("state-dir")];
  if (in_database && value("record") !== undefined)
    throw new UsageError(
      "--record does not go with --database-url: the workers run the trials, and nothing is recorded there",
    );
  if (goOn === undefined || in_database) return goOn;
  if (value("record") !== undefined)
    throw new UsageError("--record does not go with --continue: a recording begins with its series");
  if (state_dir === undefined)
    throw new UsageError("--continue needs --state-dir or --database-url, where the series is kept");
  if (!existsSync(join(state_dir, "sessions.db")))
    throw new UsageError(`--continue ${goOn}: nothing is kept in ${state_dir}; name the --state-dir of the series`);
  return goOn;
}

/** Whether more than one run is asked for. Otherwise the user wants a verdict, not a series of one trial. */
const isRepeated = ({ parameters, given }: RunArguments) =>
  parameters.length > 1 || (["trials", "stop-when-sure", "continue"] as const).some((flag) => given().includes(flag));

/** @throws UsageError */
function optionsOf(args: RunArguments, scenarios: readonly LoadedScenario[]) {
  const isMany = scenarios.length > 1 || scenarios.some(({ definition }) => definition.arms.length > 2);
  const { parameters, value, integer, has, usd } = args;
  if (value("aa") !== undefined && parameters.length > 1)
    throw new UsageError("--aa takes one scenario file, whose arm runs against itself");
  if (value("aa") !== undefined && !isRepeated(args))
    throw new UsageError("--aa shows nothing in one run: give --trials or --stop-when-sure");
  const seed = value("seed");
  const [trials, parallel, max_cost_usd, margin] = [
    integer("trials"),
    integer("parallel"),
    usd("max-cost"),
    marginOf(value("margin")),
  ];
  const single = (["parallel", "margin", "measure", "not-worse-by", "control", "cluster"] as const).find(
    (flag) => value(flag) !== undefined && !isMany && !isRepeated(args),
  );
  if (single !== undefined)
    throw new UsageError(`--${single} needs more than one run: give --trials, --stop-when-sure or several files`);
  return {
    ...replacementOf(args),
    ...(trials !== undefined && { trials }),
    ...(parallel !== undefined && { parallel }),
    ...(max_cost_usd !== undefined && { max_cost_usd }),
    ...(margin !== undefined && { margin }),
    ...comparedBy(args),
    ...contestAsked(args),
    ...(seed !== undefined && { seed }),
    ...(has("stop-when-sure") && { stop_when_sure: true }),
    ...stopAtOf(args),
  };
}

/** All arms of a round of a contest run at once, each in a session; its rounds are counted by the series. */
function placesOf([first]: readonly LoadedScenario[], parallel = MAX_PARALLEL) {
  // A trial's place is given back a moment after the next one may start.
  if (first?.definition.arms.length === 2) return { max_sessions: parallel, max_queued: MAX_PARALLEL };
  return { max_sessions: MAX_PARALLEL, max_queued: 4 * MAX_PARALLEL };
}

/** How more than two arms are compared, where that is said. */
function contestAsked({ has }: RunArguments) {
  const asked = {
    ...(has("best") && { mode: "best" as const }),
    ...(has("keep-running") && { keep_running: true }),
    ...(has("fdr") && { fdr: true }),
  };
  return Object.keys(asked).length === 0 ? {} : { contest: asked };
}

/** @throws UsageError */
function stopAtOf({ value, has }: RunArguments) {
  const stop_at = value("stop-at");
  if (stop_at === undefined) return {};
  if (stop_at !== "not_worse" && stop_at !== "better")
    throw new UsageError(`--stop-at: expected not_worse or better, got "${stop_at}"`);
  if (has("stop-when-sure") || value("continue") !== undefined) return { stop_at } as const;
  throw new UsageError("--stop-at says when --stop-when-sure stops: give both");
}

/** @throws Failure `invalid_scenario` for the first file that cannot be read, `unknown_arm` */
async function readAll(files: readonly string[], { aa, input }: Readonly<Record<"aa" | "input", string | undefined>>) {
  const sources = new Set<string>();
  const committed: NamedInput[] = [];
  const scenarios: LoadedScenario[] = [];
  for (const file of files) {
    const reading = await readScenario({ path: file, file });
    for (const path of reading.sources) sources.add(path);
    committed.push(...(reading.committed ?? []));
    const loaded = orThrow(reading.result);
    const members = input === undefined ? await membersOf(loaded) : [await oneMember(loaded, input)];
    scenarios.push(...members.map((member) => (aa === undefined ? member : againstItself(member, aa))));
  }
  const source = seriesSource(scenarios);
  return { source, sources, committed };
}

/** Waits for the end. A signal stops the trials in flight; what there is is still reported. */
export async function untilDone(
  { series_id, done }: StartedSeries,
  services: Pick<SessionServices, "runs" | "series" | "store" | "shared" | "clock">,
) {
  const { store } = services;
  const inFlight = () => seriesInFlight(services, series_id);
  onInterrupt("series", (reason) => void inFlight().then((series) => series?.cancel(reason), untold));
  try {
    return await done;
  } catch (error) {
    // Its end found no place. The store gives it all the same.
    const record = await store.series.read(series_id);
    if (record === undefined || record.state === "running") throw error;
    return { ...record, state: "failed" as const, failure: record.failure ?? messageOf(error) };
  }
}

const messageOf = (error: unknown) => (error instanceof Failure ? error.message : "its end cannot be stored");

const PREFERRED = "one of two equal arms is preferred: the judge or the set-up favours it";

/** The status says whether there is a report, not who is ahead; with --aa a preference is a fault of the set-up. */
function statusOf(report: Series | Contest, aa: boolean): number {
  const { state, trials } = report;
  if (state === "cancelled" || state === "interrupted") return EXIT.interrupted;
  if (state === "failed") return EXIT.failed;
  if (isContest(report)) return EXIT.done;
  const { counts, conclusion } = report;
  if (2 * counts.invalid > trials.length) return EXIT.invalid;
  const preferred = conclusion === "a_preferred" || conclusion === "b_preferred";
  return aa && preferred ? EXIT.preferred : EXIT.done;
}
