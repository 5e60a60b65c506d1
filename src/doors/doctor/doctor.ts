import { basename, extname } from "node:path";
import { loadScenarioFile } from "../../comparison/scenario/load-scenario.ts";
import type { LoadedScenario } from "../../comparison/scenario/loaded-scenario.ts";
import { Failure } from "../../domain/failure.ts";
import type { CostEstimate, DoctorCheck, DoctorReport } from "../../domain/health.ts";
import { SLUG_PATTERN } from "../../domain/schema.ts";
import { runChecks } from "./check.ts";
import { environmentChecks, MACHINE_CHECKS } from "./environment/environment-checks.ts";
import { diagnoseScenario, type Replacement, unreadableScenario } from "./scenario/diagnose-scenario.ts";
import { type Services, withWorkers } from "./services.ts";

/**
 * Whether runs can work here and, with a scenario, whether that scenario is sound, which runs its commands. Calls no model
 * and shows no secret. A scenario file that cannot be read is a check that failed.
 * @throws Failure `unknown_scenario`; the signal's reason when it fires.
 */
export async function diagnose(given: Services, scenario: string | null, signal: AbortSignal): Promise<DoctorReport> {
  const services = await withWorkers(given);
  const loaded = scenario === null ? null : await orBroken(services.catalog.get(scenario));
  const environment = await diagnoseMachine(services, signal, environmentChecks(services));
  if (loaded === null) return report(scenario, environment, null);
  return await reportOn(services, { scenario, loaded, environment, replacement: {} }, signal);
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
  const loaded = await orBroken(loadScenarioFile(path));
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
  const { checks, estimate } = await diagnoseScenario(services, loaded, replacement, signal);
  return report(scenario, [...environment, ...checks], estimate);
}

/** A broken file is a result, not an error. */
async function orBroken(loading: Promise<LoadedScenario>): Promise<LoadedScenario | Failure> {
  try {
    return await loading;
  } catch (error) {
    if (error instanceof Failure && error.code === "invalid_scenario") return error;
    throw error;
  }
}

const report = (scenario: string | null, checks: DoctorCheck[], estimate: CostEstimate | null): DoctorReport => ({
  ok: checks.every(({ status }) => status !== "fail"),
  scenario,
  checks,
  estimate,
});
