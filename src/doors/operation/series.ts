import { Type } from "@sinclair/typebox";
import type { SeriesInFlight } from "../../comparison/planning/register.ts";
import { membersOf, oneMember } from "../../comparison/scenario/loaded-scenario.ts";
import { cancelSeriesAnywhere } from "../../comparison/session/cancel.ts";
import { seriesInFlight } from "../../comparison/session/in-flight.ts";
import { storedRuns } from "../../comparison/session/other-runs.ts";
import type { Requester, StartedSeries } from "../../comparison/session/started-session.ts";
import { columnNamed } from "../../domain/columns.ts";
import { Failure } from "../../domain/failure.ts";
import { memberName, withInputId } from "../../domain/member.ts";
import { isScripted } from "../../domain/model-name.ts";
import { record } from "../../domain/schema.ts";
import { Series, SeriesMembers } from "../../domain/series.ts";
import { SeriesListing } from "../../domain/series-listing.ts";
import type { SeriesRecord } from "../../domain/series-record.ts";
import { SeriesListRequest, SeriesRequest, SeriesStarted } from "../../domain/series-request.ts";
import type { SessionOutcome } from "../../domain/session.ts";
import { sha256 } from "../../domain/sha256.ts";
import type { TrialRow } from "../../domain/trial.ts";
import { breathe, ownTurn } from "../../runtime/pace.ts";
import { type Beside, reportOf, storedSeries } from "../../statistics/report.ts";
import { readSession } from "../../store/read-session.ts";
import { judgeRecord } from "../../store/self-test-store.ts";
import { doOnce } from "./do-once.ts";
import { operation, type Services } from "./operation.ts";
import { findResults } from "./results.ts";

/** @throws Failure for everything that can be refused before anything is spent. */
export async function startSeriesOf(
  services: Services,
  request: SeriesRequest,
  requester: Requester = {},
): Promise<StartedSeries> {
  const { scenarios: names, continue: goOn, baseline: named, ...options } = request;
  const { catalog } = services;
  const scenarios = (await Promise.all(names.map(async (name) => await membersOf(await catalog.get(name))))).flat();
  const load = async (scenario: string, input?: string) => await oneMember(await catalog.get(scenario), input);
  const { openSeries } = await import("../../comparison/session/open-series.ts");
  if (named === undefined) return await openSeries(services, { scenarios, load }, { ...options, goOn }, requester);
  const { storedBaseline } = await import("../../comparison/session/baseline.ts");
  const baseline = await storedBaseline(services.store, named);
  return await openSeries(services, { scenarios, load, baseline }, { ...options, goOn }, requester);
}

export const startSeries = operation({
  name: "start_series",
  title: "Start a series",
  summary:
    "Runs scenarios again and again in the background, until enough is known or the plan is done, and answers with its id at once. Spends model tokens.",
  input: SeriesRequest,
  output: SeriesStarted,
  async run(services, request, _signal, requester) {
    return await doOnce(services, requester, {
      start: async () => ({ series_id: (await startSeriesOf(services, request, requester)).series_id }),
      again: async (series_id) => ({ series_id }),
    });
  },
});

export const listSeries = operation({
  name: "list_series",
  title: "List series",
  summary: "Persisted series, newest first; none when the server runs without a state directory.",
  input: SeriesListRequest,
  output: Type.Array(SeriesListing),
  async run({ store }, query) {
    return store.persistent ? [...(await store.series.list(query, await store.self_tests.failedKeys()))] : [];
  },
});

export const getSeries = operation({
  name: "get_series",
  title: "Get a series",
  summary:
    "What the trials of a series say together, also while it runs: win rate with its range, conclusion, costs, every trial. `cmp-<comparison>` is the series of all stored runs of a comparison.",
  input: record("GetSeriesRequest", {
    series_id: Type.String(),
    by: Type.Optional(Type.String({ description: "Column of the inputs by which the rows are grouped (`groups`)." })),
  }),
  output: Series,
  async run(services, { series_id, by }) {
    const { report } = await findSeries(services, series_id, by);
    return await report();
  },
});

/** Rows of one answer over HTTP, and of one page. */
const LISTED = 500;

/** The report without all but the first of many rows and trials. */
export function abridged(series: Series): Series {
  const omitted = {
    scenarios: Math.max(0, series.scenarios.length - LISTED),
    trials: Math.max(0, series.trials.length - LISTED),
  };
  if (omitted.scenarios + omitted.trials === 0) return series;
  return {
    ...series,
    ...{ scenarios: series.scenarios.slice(0, LISTED), trials: series.trials.slice(0, LISTED), omitted },
  };
}

export const listMembers = operation({
  name: "list_members",
  title: "Page the scenarios of a series",
  summary: "Scenarios of a series, or rows of its inputs, in the order of the plan, each with its trials.",
  input: record("SeriesMembersRequest", {
    series_id: Type.String(),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LISTED, description: `Default ${LISTED}.` })),
    after: Type.Optional(Type.Integer({ minimum: 0, description: "So many come before the page. Default 0." })),
  }),
  output: SeriesMembers,
  async run(services, { series_id, limit = LISTED, after = 0 }) {
    const { report } = await findSeries(services, series_id);
    const { scenarios, trials } = await report();
    const page = scenarios.slice(after, after + limit);
    const named = new Set(page.map(memberName));
    return {
      total: scenarios.length,
      scenarios: page,
      trials: trials.filter((trial) => named.has(memberName(trial))),
      next_after: after + limit < scenarios.length ? after + limit : null,
    };
  },
});

/** A series as it is stored now. */
interface StoredReport {
  /** Changes with whatever the report is made of. */
  readonly version: string;
  /** Making the report takes longer the more trials are left. */
  readonly report: () => Promise<Series>;
}

/** @throws Failure `unknown_series` */
export async function findSeries(services: Services, series_id: string, by?: string): Promise<StoredReport> {
  const results = series_id.startsWith("results-") ? await findResults(services, series_id, by) : undefined;
  if (results) return results;
  const comparison = /^cmp-([0-9a-f]{64})$/.exec(series_id)?.[1];
  if (comparison === undefined) return await planned(services, series_id, by);
  if (by !== undefined) columnNamed([], by);
  return await stored(services, comparison);
}

async function planned({ store, version }: Services, series_id: string, by?: string): Promise<StoredReport> {
  const series = await store.series.read(series_id);
  if (series === undefined) throw unknownSeries(series_id);
  if (by !== undefined) columnNamed(series.columns, by);
  const read = await readRows(store, series);
  return { version: await versionOf(read, version, series, by), report: () => reportOn(series, read, by) };
}

/** The program's version is among `parts`, because another version may use other words. */
async function versionOf(
  { own = [], stored, judge }: Partial<Pick<Rows, "own">> & Omit<Rows, "own">,
  ...parts: readonly unknown[]
) {
  const digests: string[] = [];
  for (const rows of [own, stored])
    for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
      digests.push(sha256(JSON.stringify(rows.slice(start, start + ROWS_AT_ONCE))));
      await breathe();
    }
  return sha256(JSON.stringify([...parts, judge, own.length, digests])).slice(0, 32);
}

/** Rows that are digested before others have their turn. */
const ROWS_AT_ONCE = 2_000;

/** Every read that a report is made of. */
interface Rows {
  /** Rows of the series' own trials. */
  readonly own: readonly TrialRow[];
  /** Rows of all stored runs of its comparisons. */
  readonly stored: readonly TrialRow[];
  readonly judge: JudgeStanding;
}

/** The report of a series from what is stored of it. */
export const seriesReport = async (store: Services["store"], series: SeriesRecord, by?: string): Promise<Series> =>
  await reportOn(series, await readRows(store, series), by);

async function readRows(store: Services["store"], { series_id, plan }: SeriesRecord): Promise<Rows> {
  const own = await store.trials({ series_id });
  const stored = await storedRuns(store, plan);
  return { own, stored, judge: await judgeStanding(store, plan.scenarios) };
}

const reportOn = (series: SeriesRecord, { own, stored, judge }: Rows, by: string | undefined): Promise<Series> =>
  reportOf(series, own, { stored, ...judge, by: by === undefined ? undefined : columnNamed(series.columns, by) });

async function stored({ store, version }: Services, comparison: string): Promise<StoredReport> {
  const rows = await store.trials({ comparison });
  const session = rows[0] && (await readSession(store, rows[0].session_id));
  if (session === undefined) throw unknownSeries(`cmp-${comparison}`);
  const judge_model = await judgeOf(store, rows, session);
  const { conditionsOf, selfTestKeyOf } = await import("../../comparison/planning/comparison.ts");
  const self_test_key = selfTestKeyOf(conditionsOf(session.definition, judge_model));
  const member = { scenario: session.scenario, ...withInputId(session.input?.id) };
  const judge = await judgeStanding(store, [{ ...member, self_test_key }]);
  return {
    version: await versionOf({ stored: rows, judge }, version),
    async report() {
      const [a, b] = session.arms;
      const arms = { a: a.arm_id, b: b.arm_id };
      const scripted = session.arms.some(({ model }) => isScripted(model));
      return await storedSeries({ comparison, ...member, arms, judge_model, scripted, rows }, judge);
    },
  };
}

/** All runs of a comparison have one judge; the first that was judged names it. */
async function judgeOf(store: Services["store"], rows: readonly TrialRow[], first: SessionOutcome): Promise<string> {
  const judged = rows.find(({ outcome }) => outcome !== null)?.session_id;
  const session = judged === undefined || judged === first.session_id ? first : await readSession(store, judged);
  return session?.verdict?.judge.model ?? "not known yet";
}

type JudgeStanding = Required<Pick<Beside, "judge_unaudited" | "failed_self_tests">>;

type JudgedScenario = Pick<SeriesRecord["plan"]["scenarios"][number], "scenario" | "input" | "self_test_key">;

/** What self-tests say of the judge. A key is null where no model judges. */
async function judgeStanding(
  { self_tests }: Pick<Services["store"], "self_tests">,
  scenarios: readonly JudgedScenario[],
): Promise<JudgeStanding> {
  const failed_self_tests: string[] = [];
  let judge_unaudited = false;
  for (const { self_test_key, ...member } of scenarios) {
    if (self_test_key === null) continue;
    const record = await judgeRecord(self_tests, self_test_key);
    judge_unaudited ||= record !== "passed";
    if (record === "failed") failed_self_tests.push(memberName(member));
  }
  return { judge_unaudited, failed_self_tests };
}

export { seriesInFlight };

/** A series that runs, until `signal` fires. @throws Failure `not_live` */
export async function demandSeriesInFlight(
  services: Services,
  series_id: string,
  signal: AbortSignal,
): Promise<SeriesInFlight> {
  // A thousand readers may come at once.
  await ownTurn();
  const series = await seriesInFlight(services, series_id, signal);
  if (series) return series;
  throw new Failure(
    "not_live",
    `no series ${JSON.stringify(series_id.slice(0, 100))} runs here; read the series instead`,
  );
}

/** No further trial is started, those that run are stopped. @throws Failure `unknown_series`, `series_not_running` */
export async function cancelSeries(services: Services, series_id: string): Promise<SeriesStarted> {
  const { series, shared } = services;
  const running = series.live(series_id);
  if (running) {
    running.cancel(new Failure("cancelled", "The series was cancelled."));
    return { series_id };
  }
  await findSeries(services, series_id);
  if (shared) {
    await cancelSeriesAnywhere(services, shared, series_id);
    return { series_id };
  }
  throw new Failure("series_not_running", `${series_id} does not run here; read it instead`);
}

const unknownSeries = (series_id: string) =>
  new Failure("unknown_series", `there is no series "${series_id.slice(0, 100)}"`);
