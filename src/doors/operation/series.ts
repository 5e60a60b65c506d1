import { Type } from "@sinclair/typebox";
import type { SeriesInFlight } from "../../comparison/planning/register.ts";
import { membersOf, oneMember } from "../../comparison/scenario/loaded-scenario.ts";
import { cancelSeriesAnywhere } from "../../comparison/session/cancel.ts";
import { seriesInFlight } from "../../comparison/session/in-flight.ts";
import type { Requester, StartedSeries } from "../../comparison/session/started-session.ts";
import { Failure } from "../../domain/failure.ts";
import { memberName } from "../../domain/member.ts";
import { record } from "../../domain/schema.ts";
import { Series, SeriesMembers } from "../../domain/series.ts";
import { SeriesListing } from "../../domain/series-listing.ts";
import { SeriesListRequest, SeriesRequest, SeriesStarted } from "../../domain/series-request.ts";
import { ownTurn } from "../../runtime/pace.ts";
import { doOnce } from "./do-once.ts";
import { findSeries } from "./find-series.ts";
import { operation, type Services } from "./operation.ts";

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
    after: Type.Optional(Type.Integer({ minimum: 0, description: "Skip this many. Default 0." })),
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
