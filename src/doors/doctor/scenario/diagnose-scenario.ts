import type { Sandbox } from "../../../arms/sandbox/sandbox.ts";
import { isAgentArm } from "../../../comparison/planning/agent-runner.ts";
import { openMcpTools, serversOf } from "../../../comparison/planning/mcp-tools.ts";
import { SANDBOX_NEED } from "../../../comparison/planning/need-names.ts";
import { sandboxForCommands } from "../../../comparison/planning/sandbox-for.ts";
import type { LoadedScenario } from "../../../comparison/scenario/loaded-scenario.ts";
import { Failure } from "../../../domain/failure.ts";
import type { CostEstimate, DoctorCheck } from "../../../domain/health.ts";
import { type Check, skip } from "../check.ts";
import type { Diagnosis } from "../diagnoses.ts";
import { runChecks, skipAll } from "../run-checks.ts";
import type { DeclaredScenario, Services } from "../services.ts";
import { workersWith } from "../workers.ts";
import { agentsStart } from "./agent-start.ts";
import { asRun, type Replacement } from "./as-run.ts";
import { DryRun } from "./dry-run.ts";
import { estimateCost } from "./estimate.ts";
import { mcpStart } from "./mcp.ts";
import { judgeModel } from "./models.ts";
import { rehearseAgent } from "./rehearse-agent.ts";
import { DECLARED_CHECKS, DRY_RUN_CHECKS } from "./scenario-checks.ts";
import { someWorkerCan } from "./some-worker-can.ts";

interface ScenarioFindings {
  readonly checks: readonly DoctorCheck[];
  /** Null when the run would be refused. */
  readonly estimate: CostEstimate | null;
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
  const asked = services.workers ? [...DECLARED_CHECKS, someWorkerCan] : DECLARED_CHECKS;
  const declared = { scope: "scenario", checks: asked, subject: { services, loaded } } as const;
  const said = await runChecks({ ...declared, clock, redact, announce, signal });
  const dryRun = (stop: AbortSignal) => diagnoseByDryRun({ services, loaded }, said, stop);
  const tried = await services.diagnoses.run(loaded.digest, dryRun, signal);
  const checks = [parsed("pass", "every field is understood", null), ...said, ...tried.checks];
  return { checks, estimate: isJudgeRefused(said) ? null : estimateCost(services, loaded.definition) };
}

/** Then a run is refused, whoever has a key, and what it would spend is no question. */
const isJudgeRefused = (said: readonly DoctorCheck[]) =>
  said.some(({ id, status }) => id === judgeModel.id && status === "fail");

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

async function diagnoseByDryRun(
  { services, loaded }: DeclaredScenario,
  before: readonly DoctorCheck[],
  signal: AbortSignal,
): Promise<Diagnosis> {
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
  const left = forPrograms instanceof Failure && workersWith(services, SANDBOX_NEED) > 0;
  const asked = left ? DRY_RUN_CHECKS.map((check) => leftToWorkers(check, forPrograms)) : DRY_RUN_CHECKS;
  const tried = { scope: "scenario", checks: asked, before, subject: dryRun } as const;
  const checks = await runChecks({ ...tried, clock, redact, announce, signal, deadline });
  // What is installed can change while the scenario does not.
  return { checks, complete: !deadline.aborted && !hasPrograms };
}

/** Foreign programs are started where a run would start them, and so not where there is no sandbox. */
const leftToWorkers = (check: Check<DryRun>, { message }: Failure): Check<DryRun> =>
  check === mcpStart || check === agentsStart ? { ...check, run: () => skip(`left to workers: ${message}`) } : check;

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
