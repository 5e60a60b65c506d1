import { Failure } from "../../domain/failure.ts";
import type { CostEstimate, DoctorCheck, DoctorReport } from "../../domain/health.ts";
import type { LoadedScenario } from "../../scenario/loaded-scenario.ts";
import { ENVIRONMENT_CHECKS } from "./environment/environment-checks.ts";
import { runChecks } from "./run-checks.ts";
import { examineScenario, unreadableScenario } from "./scenario/examine-scenario.ts";
import type { Surroundings } from "./services.ts";

export type { DoctorServices } from "./services.ts";

/**
 * Whether runs can work here and, with a scenario, whether that scenario is sound, which runs its commands. Calls no model,
 * shows no secret. A scenario file that cannot be read is a check that failed.
 * @throws Failure `unknown_scenario`; the signal's reason when it fires.
 */
export async function examine(
  services: Surroundings,
  scenario: string | null,
  signal: AbortSignal,
): Promise<DoctorReport> {
  const loaded = scenario === null ? null : await load(services, scenario);
  const environment = await runChecks({
    ...services,
    scope: "environment",
    checks: ENVIRONMENT_CHECKS,
    subject: services,
    signal,
  });
  if (loaded === null) return report(scenario, environment, null);
  if (loaded instanceof Failure) return report(scenario, [...environment, ...unreadableScenario(loaded)], null);
  const { checks, estimate } = await examineScenario(services, loaded, signal);
  return report(scenario, [...environment, ...checks], estimate);
}

async function load({ catalog }: Surroundings, name: string): Promise<LoadedScenario | Failure> {
  try {
    return await catalog.get(name);
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
