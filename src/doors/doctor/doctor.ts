import { basename, extname } from "node:path";
import { workersWithSlots } from "../../comparison/planning/needs.ts";
import { loadScenarioFile } from "../../comparison/scenario/load-scenario.ts";
import { type LoadedScenario, membersOf } from "../../comparison/scenario/loaded-scenario.ts";
import type { CostEstimate, DoctorCheck, DoctorReport } from "../../domain/doctor-report.ts";
import { cut } from "../../domain/excerpt.ts";
import { Failure } from "../../domain/failure.ts";
import { counted, usdText } from "../../domain/number-text.ts";
import { SLUG_PATTERN } from "../../domain/schema.ts";
import { controlAmong } from "../../domain/series-result.ts";
import { orRefusal, runChecks } from "./check.ts";
import { environmentChecks, MACHINE_CHECKS } from "./environment/environment-checks.ts";
import { diagnoseScenario, type Replacement, unreadableScenario } from "./scenario/diagnose-scenario.ts";
import type { Services } from "./services.ts";

/**
 * Whether runs can work here and, with a scenario, whether that scenario is sound, which runs its commands. Calls no model
 * and shows no secret. A scenario file that cannot be read is a check that failed.
 * @throws Failure `unknown_scenario`; the signal's reason when it fires.
 */
export async function diagnose(given: Services, scenario: string | null, signal: AbortSignal): Promise<DoctorReport> {
  const services = await withWorkers(given);
  const loaded = scenario === null ? null : await orBroken(() => services.catalog.get(scenario));
  const environment = await diagnoseMachine(services, signal, environmentChecks(services));
  if (loaded === null) return report(scenario, environment, null);
  return await reportOn(services, { scenario, loaded, environment, replacement: {} }, signal);
}

/** Adds the workers of a shared store. A store that does not answer is left to its own check. */
async function withWorkers(services: Services): Promise<Services> {
  const { shared } = services;
  if (!shared || !(await shared.reachable())) return services;
  const workers = await orRefusal(() => workersWithSlots(shared));
  // It may have been lost just now.
  return workers instanceof Failure ? services : { ...services, workers };
}

/** Whether a run of any one file can work here. @throws the signal's reason when it fires. */
export const diagnoseMachine = (
  services: Services,
  signal: AbortSignal,
  checks = MACHINE_CHECKS,
): Promise<DoctorCheck[]> => runChecks({ ...services, scope: "environment", checks, subject: services, signal });

/**
 * The same report for a file that no catalog lists. The caller gives the checks of the machine.
 * @throws the signal's reason when it fires.
 */
export async function diagnoseFile(
  services: Services,
  { path, environment, replacement = {} }: FileToDiagnose,
  signal: AbortSignal,
): Promise<DoctorReport> {
  const loaded = await orBroken(() => loadScenarioFile(path));
  const stem = basename(path, extname(path));
  const scenario = new RegExp(SLUG_PATTERN).test(stem) ? stem : null;
  return await reportOn(services, { scenario, loaded, environment, replacement }, signal);
}

interface FileToDiagnose {
  readonly path: string;
  /** What is known of the machine. */
  readonly environment: readonly DoctorCheck[];
  /** The models that the run would be asked to use. */
  readonly replacement?: Replacement;
}

interface ScenarioToDiagnose {
  readonly scenario: string | null;
  readonly loaded: LoadedScenario | Failure;
  readonly environment: readonly DoctorCheck[];
  readonly replacement: Replacement;
}

async function reportOn(
  services: Services,
  { scenario, loaded, environment, replacement }: ScenarioToDiagnose,
  signal: AbortSignal,
): Promise<DoctorReport> {
  if (loaded instanceof Failure) return report(scenario, [...environment, ...unreadableScenario(loaded)], null);
  if (loaded.table) return await reportOnTable(services, { scenario, loaded, environment, replacement }, signal);
  const { checks, estimate } = await diagnoseScenario(services, loaded, replacement, signal);
  return report(scenario, [...environment, ...remarksOf(loaded), ...checks], await withPlan(estimate, loaded));
}

/** What a series of the file would compare, and with what. */
async function withPlan(estimate: CostEstimate | null, loaded: LoadedScenario): Promise<CostEstimate | null> {
  if (estimate === null) return null;
  const { plannedMeasure } = await import("../../comparison/planning/series/measure.ts");
  const planned = await orRefusal(() => plannedMeasure([{ loaded }], undefined, undefined), "invalid_request");
  const arms = loaded.definition.arms.map(({ id }) => id);
  const control = controlAmong(arms, loaded.asks?.control);
  return {
    ...estimate,
    ...(planned instanceof Failure ? {} : planned),
    ...(control !== undefined && { control }),
  };
}

/** Rows of a table whose commands are run. */
const TRIED_ROWS = 3;

/** Fills every row, and tries the first ones; the estimate is that of one row. */
async function reportOnTable(
  services: Services,
  { scenario, loaded, environment, replacement }: ScenarioToDiagnose & { readonly loaded: LoadedScenario },
  signal: AbortSignal,
): Promise<DoctorReport> {
  const members = await orBroken(() => membersOf(loaded));
  if (members instanceof Failure) return report(scenario, [...environment, ...unreadableScenario(members)], null);
  const tried: RowCheck[] = [];
  const names = members.slice(0, TRIED_ROWS).map(({ definition }) => definition.input?.id ?? "");
  let estimate: CostEstimate | null = null;
  for (const [index, member] of members.slice(0, TRIED_ROWS).entries()) {
    const found = await diagnoseScenario(services, member, replacement, signal);
    estimate ??= found.estimate;
    tried.push(...found.checks.map((check) => ({ check, row: names[index] ?? "" })));
  }
  return report(
    scenario,
    [
      ...environment,
      inputsRow(members.length, names, estimate),
      ...remarksOf(loaded),
      ...(await repeatsIn(members, loaded)),
      ...byFinding(tried),
    ],
    await withPlan(estimate && { ...estimate, rows: members.length }, loaded),
  );
}

interface RowCheck {
  readonly check: DoctorCheck;
  readonly row: string;
}

/** What came out alike for several rows is told once; what is well in all of them, with the figures of the first. */
function byFinding(tried: readonly RowCheck[]): DoctorCheck[] {
  const alike = Map.groupBy(tried, ({ check: { id, title, status, detail, hint } }) =>
    JSON.stringify(status === "pass" ? [id, title] : [id, title, status, detail, hint]),
  );
  return [...alike.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const rows = [...new Set(same.map(({ row }) => row))].join(", ");
    const duration_ms = same.reduce((sum, { check }) => sum + check.duration_ms, 0);
    const isAlike = same.every(({ check: { detail } }) => detail === first.check.detail);
    const detail = isAlike ? first.check.detail : `${first.check.detail} (in ${first.row})`;
    return { ...first.check, title: `${first.check.title} [${rows}]`, detail, duration_ms };
  });
}

function inputsRow(rows: number, tried: readonly string[], estimate: CostEstimate | null): DoctorCheck {
  const high = estimate?.high_usd ?? null;
  const price = high === null ? "" : `; one round costs up to ${usdText(high * rows)} (${rows} x ${usdText(high)})`;
  return remark(
    "pass",
    `${counted(rows, "row")} ${rows === 1 ? "is" : "are"} filled in; tried here: ${tried.join(", ")}${price}`,
    null,
  );
}

/** Rows that count as more evidence than they are; the author decides whether they are one. */
async function repeatsIn(members: readonly LoadedScenario[], { asks }: LoadedScenario): Promise<DoctorCheck[]> {
  const { plannedCluster, repeatedRows } = await import("../../comparison/planning/series/cluster.ts");
  const planned = await orRefusal(async () => plannedCluster(members, asks?.cluster, undefined), "invalid_request");
  const repeated = await repeatedRows(members, planned instanceof Failure ? undefined : planned.cluster);
  if (repeated === null) return [];
  const { ids, field } = repeated;
  const said = `${counted(ids.length, "row")} ${ids.length === 1 ? "asks" : "ask"} what a row before asks: ${cut(ids.join(", "), 300)}`;
  const or = field === undefined ? "" : `, or write \`cluster: ${field}\` to count them as one`;
  return [remark("warn", said, `remove such rows${or}`)];
}

/** What the author of the file should know. */
const remarksOf = ({ warnings = [] }: LoadedScenario): DoctorCheck[] =>
  warnings.map((warning) => remark("warn", warning, "change the text or the table"));

const remark = (status: "pass" | "warn", detail: string, hint: string | null): DoctorCheck => ({
  ...{ id: "inputs", scope: "scenario", status, title: "Inputs" },
  ...{ detail, hint, duration_ms: 0 },
});

/** A broken file is a result, not an error. */
const orBroken = <T>(loading: () => Promise<T>) => orRefusal(loading, "invalid_scenario");

const report = (scenario: string | null, checks: DoctorCheck[], estimate: CostEstimate | null): DoctorReport => ({
  ok: checks.every(({ status }) => status !== "fail"),
  scenario,
  checks,
  estimate,
});
