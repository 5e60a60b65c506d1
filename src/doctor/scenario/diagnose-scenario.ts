import { Failure } from "../../domain/failure.ts";
import type { CostEstimate, DoctorCheck } from "../../domain/health.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { LoadedScenario } from "../../scenario/loaded-scenario.ts";
import { isAgentArm } from "../../session/agent-runner.ts";
import { openMcpTools, serversOf } from "../../session/mcp-tools.ts";
import { rehearseAgent } from "../../session/rehearse-agent.ts";
import { sandboxForCommands } from "../../session/sandbox-for.ts";
import type { Diagnosis } from "../diagnoses.ts";
import { runChecks, skipAll } from "../run-checks.ts";
import type { Services } from "../services.ts";
import { asRun, type Replacement } from "./as-run.ts";
import { DryRun } from "./dry-run.ts";
import { estimateCost } from "./estimate.ts";
import { DECLARED_CHECKS, DRY_RUN_CHECKS } from "./scenario-checks.ts";

interface ScenarioFindings {
  readonly checks: readonly DoctorCheck[];
  readonly estimate: CostEstimate;
}

/** Checks the file, what it declares, and what its commands do. @throws the signal's reason when it fires. */
export async function diagnoseScenario(
  services: Services,
  authored: LoadedScenario,
  replacement: Replacement,
  signal: AbortSignal,
): Promise<ScenarioFindings> {
  const loaded = asRun(services, authored, replacement);
  const { clock, redact, announce } = services;
  const declared = { scope: "scenario", checks: DECLARED_CHECKS, subject: { services, loaded } } as const;
  const said = await runChecks({ ...declared, clock, redact, announce, signal });
  const tried = await services.diagnoses.run(loaded.digest, (stop) => diagnoseByDryRun(services, loaded, stop), signal);
  const checks = [parsed("pass", "every field is understood", null), ...said, ...tried.checks];
  return { checks, estimate: estimateCost(services, loaded.definition) };
}

/** The rows of a scenario whose file is broken. */
export const unreadableScenario = (failure: Failure): DoctorCheck[] => [
  parsed("fail", failure.message, "fix this first; the other checks need a valid file"),
  ...skipAll("scenario", DECLARED_CHECKS, UNREADABLE),
  ...skipAll("scenario", DRY_RUN_CHECKS, UNREADABLE),
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

async function diagnoseByDryRun(services: Services, loaded: LoadedScenario, signal: AbortSignal): Promise<Diagnosis> {
  const { clock, redact, announce, diagnoses } = services;
  const { arms, policies } = loaded.definition;
  const hasPrograms = arms.some((arm) => isAgentArm(arm) || serversOf(arm).length > 0);
  const sandbox = await sandboxOf(services);
  if (sandbox instanceof Failure)
    return { checks: skipAll("scenario", DRY_RUN_CHECKS, sandbox.message), complete: false };
  // What a foreign program may reach is decided for it as for a model's commands.
  const forPrograms = hasPrograms ? await sandboxForPrograms(services, loaded) : sandbox;
  await using dryRun = new DryRun({
    ...{ loaded, redact, sandbox: forPrograms instanceof Failure ? sandbox : forPrograms },
    openTools: async (arm, workspace, stop) => {
      if (forPrograms instanceof Failure) throw forPrograms;
      return await openMcpTools(services, { arm, workspace, policies }, stop);
    },
    rehearse: async (arm, workspace, stop) => {
      if (forPrograms instanceof Failure) throw forPrograms;
      return await rehearseAgent(services, { loaded, arm, workspace }, stop);
    },
  });
  const deadline = AbortSignal.timeout(diagnoses.time_box_ms);
  const tried = { scope: "scenario", checks: DRY_RUN_CHECKS, subject: dryRun } as const;
  const checks = await runChecks({ ...tried, clock, redact, announce, signal, deadline });
  // What is installed can change while the scenario does not.
  return { checks, complete: !deadline.aborted && !hasPrograms };
}

async function sandboxForPrograms(services: Services, { definition }: LoadedScenario): Promise<Sandbox | Failure> {
  return await orUnavailable(async () => (await sandboxForCommands(services, definition)).sandbox);
}

/** These are the scenario's own commands: without a sandbox they run all the same, unless one was asked for. */
export async function sandboxOf({ sandbox, sandboxes }: Services): Promise<Sandbox | Failure> {
  return await orUnavailable(async () => (await sandboxes.choose(sandbox, false)).sandbox);
}

async function orUnavailable(choose: () => Promise<Sandbox>): Promise<Sandbox | Failure> {
  try {
    return await choose();
  } catch (error) {
    if (error instanceof Failure && error.code === "sandbox_unavailable") return error;
    throw error;
  }
}
