import { storedRuns } from "../../comparison/session/other-runs.ts";
import { columnNamed } from "../../domain/columns.ts";
import { type Contest, isContest } from "../../domain/contest.ts";
import { Failure } from "../../domain/failure.ts";
import { memberName, withInputId } from "../../domain/member.ts";
import { isScripted } from "../../domain/model-name.ts";
import type { Series } from "../../domain/series.ts";
import type { SeriesRecord } from "../../domain/series-record.ts";
import type { SessionOutcome } from "../../domain/session.ts";
import { sha256 } from "../../domain/sha256.ts";
import type { TrialRow } from "../../domain/trial.ts";
import { breathe } from "../../runtime/pace.ts";
import { contestReport } from "../../statistics/contest.ts";
import { type Beside, reportOf, storedSeries } from "../../statistics/report.ts";
import { readSession } from "../../store/read-session.ts";
import { judgeRecord } from "../../store/self-test-store.ts";
import type { Services as AllServices } from "./operation.ts";
import { findResults, ledgerOf } from "./results.ts";

type Services = Pick<AllServices, "store" | "version">;

/** A series as it is stored now. */
interface StoredReport {
  /** Changes with whatever the report is made of. */
  readonly version: string;
  /** Making the report takes longer the more trials are left. */
  readonly report: () => Promise<Series | Contest>;
}

/** @throws Failure `unknown_series` */
export async function findSeries(services: Services, series_id: string, by?: string): Promise<StoredReport> {
  const { version, report } = await foundSeries(services, series_id, by);
  return { version, report: () => reportOnce(services.store, version, report) };
}

async function foundSeries(services: Services, series_id: string, by: string | undefined): Promise<StoredReport> {
  const results = series_id.startsWith("results-") ? await findResults(services, series_id, by) : undefined;
  if (results) return results;
  const comparison = /^cmp-([0-9a-f]{64})$/.exec(series_id)?.[1];
  if (comparison === undefined) return await planned(services, series_id, by);
  if (by !== undefined) columnNamed([], by);
  return await stored(services, comparison);
}

/** Reports that are kept of a store. One of 20,000 trials takes some 30 MB. */
const KEPT = 2;

const latest = new WeakMap<Services["store"], Map<string, Promise<Series | Contest>>>();

/**
 * A report that is made once for a state: whoever reads a long series page by page asks for it again and again.
 * @param version names the state that it is made of, and nothing else
 */
function reportOnce(
  store: Services["store"],
  version: string,
  make: () => Promise<Series | Contest>,
): Promise<Series | Contest> {
  const reports = latest.get(store) ?? new Map<string, Promise<Series | Contest>>();
  latest.set(store, reports);
  const report = reports.get(version) ?? make();
  report.catch(() => reports.delete(version));
  // What was asked for last is kept longest.
  reports.delete(version);
  reports.set(version, report);
  const [oldest] = reports.keys();
  if (reports.size > KEPT && oldest !== undefined) reports.delete(oldest);
  return report;
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
  { own = [], stored, judge, ledger }: Partial<Pick<Rows, "own">> & Omit<Rows, "own">,
  ...parts: readonly unknown[]
) {
  const digests: string[] = [];
  for (const rows of [own, stored])
    for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
      digests.push(sha256(JSON.stringify(rows.slice(start, start + ROWS_AT_ONCE))));
      await breathe();
    }
  return sha256(JSON.stringify([...parts, judge, ledger, own.length, digests])).slice(0, 32);
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
  readonly ledger?: Series["ledger"];
}

/** The report of a series of two arms from what is stored of it. @throws Failure `invalid_request` */
export const seriesReport = async (store: Services["store"], series: SeriesRecord, by?: string): Promise<Series> =>
  demandTwoArms(await seriesOrContest(store, series, by));

/** The same of any number of arms. */
export const seriesOrContest = async (
  store: Services["store"],
  series: SeriesRecord,
  by?: string,
): Promise<Series | Contest> => await reportOn(series, await readRows(store, series), by);

async function readRows(store: Services["store"], series: SeriesRecord): Promise<Rows> {
  const { series_id, plan } = series;
  const own = await store.trials({ series_id });
  const stored = await storedRuns(store, plan);
  const ledger = await ledgerOf(store, series);
  return { own, stored, judge: await judgeStanding(store, plan.scenarios), ledger };
}

function reportOn(
  series: SeriesRecord,
  { own, judge, ...rows }: Rows,
  by: string | undefined,
): Promise<Series | Contest> {
  const beside = { ...rows, ...judge, by: by === undefined ? undefined : columnNamed(series.columns, by) };
  return series.plan.contest ? contestReport(series, own, beside) : reportOf(series, own, beside);
}

/** @throws Failure `invalid_request` for a contest: what is asked for is of two arms */
export function demandTwoArms(report: Series | Contest): Series {
  if (!isContest(report)) return report;
  const { series_id, contest } = report;
  throw new Failure(
    "invalid_request",
    `${series_id} compares ${contest.arms.length} arms, and this is told of two; read it at /api/series/${series_id}`,
  );
}

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

const unknownSeries = (series_id: string) =>
  new Failure("unknown_series", `there is no series "${series_id.slice(0, 100)}"`);
