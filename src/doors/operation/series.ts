import type { SeriesInFlight } from "../../comparison/planning/services.ts";
import { membersOf, oneMember } from "../../comparison/scenario/loaded-scenario.ts";
import { cancelSeriesAnywhere } from "../../comparison/session/cancel.ts";
import { seriesInFlight } from "../../comparison/session/in-flight.ts";
import type { Requester, StartedSeries } from "../../comparison/session/started-session.ts";
import { type Contest, isContest } from "../../domain/contest.ts";
import { Failure } from "../../domain/failure.ts";
import { type Member, memberName } from "../../domain/member.ts";
import type { Series } from "../../domain/series.ts";
import type { SeriesRequest } from "../../domain/series-request.ts";
import { ownTurn } from "../../runtime/pace.ts";
import { LISTED } from "../endpoint/endpoint.ts";
import { blindContestRows, contestMembers, contestRows, tellingContestMembers } from "./contest-grid.ts";
import { doOnce } from "./do-once.ts";
import { findSeries } from "./find-series.ts";
import { blindRows, gridRows, tellingMembers } from "./grid.ts";
import { scenariosWith } from "./intake.ts";
import type { Operation, Services } from "./operation.ts";

/** @throws Failure for everything that can be refused before anything is spent. */
export async function startSeriesOf(
  services: Services,
  request: SeriesRequest,
  requester: Requester = {},
): Promise<StartedSeries> {
  const { scenarios: names, definitions, continue: goOn, baseline: named, ...options } = request;
  const read = await scenariosWith(services, names, definitions);
  const scenarios = (await Promise.all(names.map(async (name) => await membersOf(await read(name))))).flat();
  const load = async (scenario: string, input?: string) => await oneMember(await read(scenario), input);
  const { openSeries } = await import("../../comparison/session/open-series.ts");
  if (named === undefined) return await openSeries(services, { scenarios, load }, { ...options, goOn }, requester);
  const { storedBaseline } = await import("../../comparison/session/baseline.ts");
  const baseline = await storedBaseline(services.store, named);
  return await openSeries(services, { scenarios, load, baseline }, { ...options, goOn }, requester);
}

export const startSeries: Operation<"startSeries"> = async (services, request, _signal, requester) =>
  await doOnce(services, requester, {
    start: async () => ({ series_id: (await startSeriesOf(services, request, requester)).series_id }),
    again: async (series_id) => ({ series_id }),
  });

export const listSeries: Operation<"listSeries"> = async ({ store }, query) =>
  store.persistent ? [...(await store.series.list(query, await store.self_tests.failedKeys()))] : [];

export const getSeries: Operation<"getSeries"> = async (services, { id, by }) => {
  const { report } = await findSeries(services, id, by);
  return await report();
};

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

/** The same of any number of arms. */
export function abridgedReport(report: Series | Contest): Series | Contest {
  return isContest(report) ? abridgedContest(report) : abridged(report);
}

function abridgedContest(contest: Contest): Contest {
  const omitted = Math.max(0, contest.trials.length - LISTED);
  if (omitted === 0) return contest;
  return { ...contest, trials: contest.trials.slice(0, LISTED), omitted: { scenarios: 0, trials: omitted } };
}

export const listMembers: Operation<"listMembers"> = async (services, request) => {
  const { id, limit = LISTED, after = 0, order = "plan", blind = false } = request;
  const report = await (await findSeries(services, id)).report();
  const within = { store: services.store, blind };
  const paged = <M>(members: readonly M[]) => ({
    page: members.slice(after, after + limit),
    counts: { total: members.length, next_after: after + limit < members.length ? after + limit : null },
  });
  if (isContest(report)) {
    const { page, counts } = paged(order === "plan" ? contestMembers(report) : tellingContestMembers(report));
    return { ...counts, ...(await contestPage(report, page, within)) };
  }
  const { page, counts } = paged(order === "plan" ? report.scenarios : tellingMembers(report));
  return { ...counts, ...(await seriesPage(report, page, within)) };
};

interface Within extends Pick<Services, "store"> {
  readonly blind: boolean;
}

async function seriesPage(series: Series, scenarios: Series["scenarios"], { store, blind }: Within) {
  const trials = trialsOf(series.trials, scenarios);
  return { scenarios, rows: await (blind ? blindRows : gridRows)(store, { ...series, trials }, scenarios), trials };
}

async function contestPage(contest: Contest, members: readonly Member[], { store, blind }: Within) {
  const trials = trialsOf(contest.trials, members);
  return { rows: await (blind ? blindContestRows : contestRows)(store, { ...contest, trials }, members), trials };
}

function trialsOf<T extends Member>(trials: readonly T[], members: readonly Member[]): T[] {
  const named = new Set(members.map(memberName));
  return trials.filter((trial) => named.has(memberName(trial)));
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
export const cancelSeries: Operation<"cancelSeries"> = async (services, { id: series_id }) => {
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
};
