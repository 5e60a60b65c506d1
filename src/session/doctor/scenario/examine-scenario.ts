import { Failure } from "../../../domain/failure.ts";
import type { CostEstimate, DoctorCheck } from "../../../domain/health.ts";
import type { LoadedScenario } from "../../../scenario/loaded-scenario.ts";
import { chooseSandbox } from "../../../workspace/choose-sandbox.ts";
import { THIS_HOST } from "../../../workspace/sandbox/host.ts";
import type { Sandbox } from "../../../workspace/workspace.ts";
import type { Examination } from "../examinations.ts";
import { runChecks, skipAll } from "../run-checks.ts";
import type { Surroundings } from "../services.ts";
import { asRun, type Replacement } from "./as-run.ts";
import { estimateCost } from "./estimate.ts";
import { DECLARED_CHECKS, TRIED_CHECKS } from "./scenario-checks.ts";
import { Trial } from "./trial.ts";

interface ScenarioFindings {
  readonly checks: readonly DoctorCheck[];
  readonly estimate: CostEstimate;
}

/** Parse, what the file says, and then what its commands do. @throws the signal's reason when it fires. */
export async function examineScenario(
  services: Surroundings,
  authored: LoadedScenario,
  replacement: Replacement,
  signal: AbortSignal,
): Promise<ScenarioFindings> {
  const loaded = asRun(services, authored, replacement);
  const { clock, redact, announce } = services;
  const declared = { scope: "scenario", checks: DECLARED_CHECKS, subject: { services, loaded } } as const;
  const said = await runChecks({ ...declared, clock, redact, announce, signal });
  const tried = await services.examinations.run(loaded.digest, (stop) => tryOut(services, loaded, stop), signal);
  const checks = [parsed("pass", "every field is understood", null), ...said, ...tried.checks];
  return { checks, estimate: estimateCost(services, loaded.definition) };
}

/** The rows of a scenario whose file is broken. */
export const unreadableScenario = (failure: Failure): DoctorCheck[] => [
  parsed("fail", failure.message, "fix this first; the other checks need a valid file"),
  ...skipAll("scenario", DECLARED_CHECKS, UNREADABLE),
  ...skipAll("scenario", TRIED_CHECKS, UNREADABLE),
];

const UNREADABLE = "the scenario file is not valid";

const parsed = (status: "pass" | "fail", detail: string, hint: string | null): DoctorCheck => ({
  id: "parse",
  scope: "scenario",
  status,
  title: "Scenario file",
  detail,
  hint,
  duration_ms: 0,
});

async function tryOut(services: Surroundings, loaded: LoadedScenario, signal: AbortSignal): Promise<Examination> {
  const { clock, redact, announce, examinations } = services;
  const sandbox = await sandboxOf(services);
  if (sandbox instanceof Failure)
    return { checks: skipAll("scenario", TRIED_CHECKS, sandbox.message), complete: false };
  await using trial = new Trial({ loaded, sandbox, redact });
  const deadline = AbortSignal.timeout(examinations.time_box_ms);
  const tried = { scope: "scenario", checks: TRIED_CHECKS, subject: trial } as const;
  const checks = await runChecks({ ...tried, clock, redact, announce, signal, deadline });
  return { checks, complete: !deadline.aborted };
}

/** These are the scenario's own commands: without a sandbox they run all the same, unless one was asked for. */
export async function sandboxOf({ sandbox, sandbox_host = THIS_HOST }: Surroundings): Promise<Sandbox | Failure> {
  try {
    return (await chooseSandbox(sandbox, false, sandbox_host)).sandbox;
  } catch (error) {
    if (error instanceof Failure && error.code === "sandbox_unavailable") return error;
    throw error;
  }
}
