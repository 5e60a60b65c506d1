import { type LoadedScenario, membersOf } from "../../comparison/scenario/loaded-scenario.ts";
import type { ContestPlan } from "../../domain/contest-plan.ts";
import type { CostEstimate, DoctorReport } from "../../domain/doctor-report.ts";
import { Failure } from "../../domain/failure.ts";
import { counted } from "../../domain/number-text.ts";
import type { SeriesRequest } from "../../domain/series-request.ts";
import { seriesEstimate } from "../../statistics/power.ts";
import { orRefusal } from "../doctor/check.ts";
import type { Operation, Services } from "./operation.ts";

/** What of a series changes its chances, and whom they are about. */
interface AskedOfSeries {
  readonly cluster?: string | undefined;
  readonly measure?: SeriesRequest["measure"] | undefined;
  readonly not_worse_by?: number | undefined;
  readonly control?: string | undefined;
  readonly contest?: ContestPlan["mode"] | undefined;
}

export const runDoctor: Operation<"runDoctor"> = async (services, { scenario, trials, ...asked }, signal) => {
  const [field = "trials"] = Object.entries(asked).flatMap(([name, value]) => (value === undefined ? [] : name));
  if (trials !== undefined && scenario === undefined) throw refused("trials", NO_SCENARIO);
  if (trials === undefined && field !== "trials") throw refused(field, NO_TRIALS);
  const { diagnose } = await import("../doctor/doctor.ts");
  const report = await withEarlier(services, await diagnose(services, scenario ?? null, signal), signal);
  if (trials === undefined || scenario === undefined) return report;
  const [told = report] = await withSeries([report], [() => services.catalog.get(scenario)], { ...asked, trials });
  return told;
};

/** Earlier runs that a likely cost goes by, the newest. */
const EARLIER = 20;

/** The report with the likely cost of runs that have ended, with the same models; as it is where there are none. */
async function withEarlier(
  { store, catalog }: Pick<Services, "store" | "catalog">,
  report: DoctorReport,
  signal: AbortSignal,
): Promise<DoctorReport> {
  const { scenario, estimate } = report;
  if (scenario === null || estimate === null) return report;
  const { definition } = await catalog.get(scenario);
  const models = definition.arms.map(({ model }) => model).join();
  const ended = await store.list({ scenario, state: "completed", limit: EARLIER }, signal);
  const known = ended.flatMap(({ arms, cost_usd }) =>
    arms.map(({ model }) => model).join() === models ? (cost_usd ?? []) : [],
  );
  const median = known.toSorted((a, b) => a - b)[Math.floor(known.length / 2)];
  if (median === undefined) return report;
  const note = `likely: the median of ${counted(known.length, "earlier run")}; else ${estimate.note}`;
  return { ...report, estimate: { ...estimate, likely_usd: median, note } };
}

const NO_SCENARIO = "of which scenario? A series is estimated for one; name it in scenario";
const NO_TRIALS = "says how a series is estimated; say how many trials of it, in trials";

const refused = (field: string, why: string) =>
  new Failure("invalid_request", `${field}: ${why}`, { details: { field } });

interface Asked extends AskedOfSeries {
  readonly trials: number;
}

/**
 * The reports with what so many trials of each scenario take, all in one series. @param load the scenarios of the reports
 * @throws Failure `invalid_request` where such a series would be refused for what was asked
 */
export async function withSeries(
  reports: readonly DoctorReport[],
  load: readonly (() => Promise<LoadedScenario>)[],
  { trials, cluster, measure, not_worse_by, control, contest: mode }: Asked,
): Promise<readonly DoctorReport[]> {
  const estimates = reports.flatMap(({ estimate }) => estimate ?? []);
  if (estimates.length < reports.length) return reports;
  const members: LoadedScenario[] = [];
  for (const file of load) members.push(...(await membersOf(await file())));
  const clusters = await clustersOf(members, { cluster, measure });
  const contest = await contestIn(members, { control, contest: mode }, trials);
  const series = await seriesEstimate(estimates, trials, {
    clusters,
    measure,
    not_worse_by,
    ...(contest && { contest }),
  });
  return reports.map((report) => ({
    ...report,
    estimate: report.estimate && {
      ...withControl(report.estimate, contest ? contest.control : control),
      ...(measure && { measure }),
      series,
    },
  }));
}

/** @param control null: nobody is the control; undefined: as in the estimate */
function withControl({ control: known, ...estimate }: CostEstimate, control: string | null | undefined): CostEstimate {
  const named = control === undefined ? known : control;
  return { ...estimate, ...(typeof named === "string" && { control: named }) };
}

/** Undefined where two arms are compared. @throws Failure as `withSeries` */
async function contestIn(
  members: readonly LoadedScenario[],
  { control, contest }: Pick<AskedOfSeries, "control" | "contest">,
  trials: number,
) {
  const { contestShape, demandContestSize } = await import("../../comparison/planning/series/contest.ts");
  const { demandControl } = await import("../../comparison/planning/series/series-plan.ts");
  const shape = contestShape(
    members,
    { ...(control !== undefined && { control }), ...(contest && { contest: { mode: contest } }) },
    undefined,
  );
  if (shape) demandContestSize(shape, { trials, parallel: 1 }, members.length);
  else demandControl({ arms: members[0]?.definition.arms.map(({ id }) => id) ?? [] }, control);
  return shape;
}

/** How many clusters count in a round; undefined: rows count for themselves. @throws Failure as `withSeries` */
async function clustersOf(
  members: readonly LoadedScenario[],
  { cluster, measure }: Pick<AskedOfSeries, "cluster" | "measure">,
): Promise<number | undefined> {
  const { plannedCluster } = await import("../../comparison/planning/series/cluster.ts");
  const { plannedMeasure } = await import("../../comparison/planning/series/measure.ts");
  const loaded = members.map((member) => ({ loaded: member }));
  if (measure !== undefined) plannedMeasure(loaded, measure, undefined);
  const planned = await orRefusal(async () => plannedCluster(members, cluster, undefined), "invalid_request");
  // What the files themselves get wrong is told where they are checked.
  if (planned instanceof Failure && cluster !== undefined) throw planned;
  return planned instanceof Failure || !planned.cluster ? undefined : new Set(planned.cluster.of_row).size;
}
