import type { Sandbox } from "../../../arms/sandbox/sandbox.ts";
import { isAgentArm } from "../../../comparison/planning/agent-runner.ts";
import { judgeModelName } from "../../../comparison/planning/choose-judge.ts";
import { priceOf, withListPrices, withPrices } from "../../../comparison/planning/cost-limits.ts";
import { openMcpTools, serversOf } from "../../../comparison/planning/mcp-tools.ts";
import {
  isOfProtocols,
  type Needing,
  needsOf,
  providersAmong,
  SANDBOX_NEED,
} from "../../../comparison/planning/needs.ts";
import type { RunOptions } from "../../../comparison/planning/prepare-session.ts";
import { hasPlaces, NOT_NEEDED, sandboxFor, sandboxForCommands } from "../../../comparison/planning/sandbox-for.ts";
import { openRecordings } from "../../../comparison/planning/session-recordings.ts";
import { workspacePlaces } from "../../../comparison/planning/task-image.ts";
import { applyModelOverride } from "../../../comparison/scenario/declared-differences.ts";
import type { LoadedScenario } from "../../../comparison/scenario/loaded-scenario.ts";
import type { CostEstimate, DoctorCheck } from "../../../domain/doctor-report.ts";
import { Failure } from "../../../domain/failure.ts";
import type { PriceList } from "../../../domain/price-list.ts";
import type { Scenario } from "../../../domain/scenario.ts";
import { after, type Check, fail, orRefusal, pass, runChecks, skip, warn } from "../check.ts";
import type { Diagnosis } from "../diagnoses.ts";
import { type DeclaredScenario, plannedWith, type Services, workersWith } from "../services.ts";
import { agentChecks, programChecks } from "./agents.ts";
import { answeringChecks, answeringTrials, rehearseProgram } from "./answering.ts";
import { mcpRules } from "./arm-files.ts";
import { armChecks } from "./arms.ts";
import { budgetChecks, estimateCost, secondsBudget } from "./budget.ts";
import { DryRun } from "./dry-run.ts";
import { fixtureChecks, globs } from "./fixture.ts";
import { importedChecks, importedTrials } from "./imported.ts";
import { modelChecks, rubricChecks } from "./models.ts";
import { probeChecks, referenceChecks } from "./probe.ts";
import { rehearseAgent } from "./rehearse-agent.ts";
import { imageCheck, workChecks } from "./work.ts";

interface ScenarioFindings {
  readonly checks: readonly DoctorCheck[];
  /** Null when the run would be refused. */
  readonly estimate: CostEstimate | null;
}

/** Checks the file, what it declares, and what its commands do. @throws the signal's reason when it fires. */
export async function diagnoseScenario(
  given: Services,
  authored: LoadedScenario,
  replacement: Replacement,
  signal: AbortSignal,
): Promise<ScenarioFindings> {
  const services = { ...given, prices: await listedPrices(given, authored.definition, replacement) };
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

/** Whether a run is refused because of its judge, whatever keys there are. Then it has no cost to estimate. */
const isJudgeRefused = (said: readonly DoctorCheck[]) =>
  said.some(({ id, status }) => id === "models.judge" && status === "fail");

/** The rows of a scenario whose file is broken. */
export const unreadableScenario = (failure: Failure): DoctorCheck[] => [
  parsed("fail", failure.message, "fix this first; the other checks need a valid file"),
  ...skipAll(DECLARED_CHECKS, UNREADABLE),
  ...skipAll(DRY_RUN_CHECKS, UNREADABLE),
];

/** The rows of checks that cannot be tried, all for one reason. */
const skipAll = <Subject>(checks: readonly Check<Subject>[], reason: string) =>
  checks.map(({ id, title }): DoctorCheck => ({ id, scope: "scenario", title, ...skip(reason), duration_ms: 0 }));

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
  const asks = services.rehearse === true && arms.some(({ program }) => program !== undefined);
  const hasPrograms = asks || arms.some((arm) => isAgentArm(arm) || serversOf(arm).length > 0);
  const sandbox = await sandboxForOwn(services, loaded);
  if (sandbox instanceof Failure) return { checks: skipAll(DRY_RUN_CHECKS, sandbox.message), complete: false };
  // What a foreign program may reach is decided for it as for a model's commands.
  const forPrograms = hasPrograms ? await sandboxForPrograms(services, loaded) : sandbox;
  // Where an image is absent or cannot be used, its own check says it first.
  const places = await orRefusal(() => workspacePlaces(services, loaded), "invalid_request");
  if (places instanceof Failure) return { checks: skipAll(DRY_RUN_CHECKS, places.message), complete: false };
  const deadline = AbortSignal.timeout(diagnoses.time_box_ms);
  await using dryRun = new DryRun({
    places,
    signal: AbortSignal.any([signal, deadline]),
    loaded: { ...loaded, findExposed: async () => (await loaded.findExposed?.(services.agents_dir)) ?? [] },
    ...{ redact, sandbox: forPrograms instanceof Failure ? sandbox : forPrograms },
    openTools: async (arm, workspace, stop) => {
      if (forPrograms instanceof Failure) throw forPrograms;
      return await openMcpTools(services, { arm, workspace, policies }, stop);
    },
    ...(asks && {
      askProgram: async (arm, workspace, stop) => {
        if (forPrograms instanceof Failure) throw forPrograms;
        await rehearseProgram(services, { loaded, arm, workspace }, stop);
      },
    }),
    rehearse: async (arm, workspace, stop) => {
      if (forPrograms instanceof Failure) throw forPrograms;
      return await rehearseAgent(services, { loaded, arm, workspace }, stop);
    },
  });
  const left = forPrograms instanceof Failure && workersWith(services, SANDBOX_NEED) > 0;
  const asked = left ? DRY_RUN_CHECKS.map((check) => leftToWorkers(check, forPrograms)) : DRY_RUN_CHECKS;
  const tried = { scope: "scenario", checks: asked, before, subject: dryRun } as const;
  const checks = await runChecks({ ...tried, clock, redact, announce, signal, deadline });
  // What is installed can change while the scenario does not.
  return { checks, complete: !deadline.aborted && !hasPrograms };
}

/** Foreign programs start only where a run would start them, so not without a sandbox. */
const leftToWorkers = (check: Check<DryRun>, { message }: Failure): Check<DryRun> =>
  PROGRAM_STARTS.has(check.id) ? { ...check, run: () => skip(`left to workers: ${message}`) } : check;

const PROGRAM_STARTS: ReadonlySet<string> = new Set(["mcp.start", "agents.start", "programs.rehearsal"]);

async function sandboxForPrograms(services: Services, { definition }: LoadedScenario): Promise<Sandbox | Failure> {
  return await orUnavailable(async () => (await sandboxForCommands(services, definition)).sandbox);
}

/** The sandbox for the commands of one scenario, which may have to be mounted somewhere. */
export const sandboxForOwn = (services: Services, loaded: LoadedScenario): Promise<Sandbox | Failure> =>
  hasPlaces(loaded.definition) ? sandboxForPrograms(services, loaded) : sandboxOf(services);

/** The sandbox for the scenario's own commands. They run without one unless one was asked for. */
export async function sandboxOf({ sandbox, sandboxes }: Services): Promise<Sandbox | Failure> {
  return await orUnavailable(async () => (await sandboxes.choose(sandbox, false)).sandbox);
}

const orUnavailable = <T>(choose: () => Promise<T>) => orRefusal(choose, "sandbox_unavailable");

/** Checks that need the definition alone. */
const DECLARED_CHECKS = [
  ...importedChecks,
  ...answeringChecks,
  imageCheck,
  ...armChecks,
  ...modelChecks,
  ...agentChecks,
  mcpRules,
  ...rubricChecks,
  ...budgetChecks,
  ...workChecks,
  ...referenceChecks,
];

/** Checks that copy files and run commands. */
const DRY_RUN_CHECKS = [
  ...fixtureChecks,
  ...importedTrials,
  ...programChecks,
  ...answeringTrials,
  globs,
  ...probeChecks,
  secondsBudget,
];

/** The models that a run takes in place of the file's. */
export type Replacement = Pick<RunOptions, "model_override" | "judge_model">;

async function listedPrices(
  services: Services,
  authored: Scenario,
  { model_override, judge_model }: Replacement,
): Promise<PriceList> {
  const meant = model_override === undefined ? authored : applyModelOverride(authored, model_override);
  return await withListPrices(services, meant, judgeModelName(services, judge_model, authored.rubric.judge.model));
}

/** The scenario that a run with these options would have, as `prepareSession` makes it. Its bytes and commands stay. */
function asRun(
  services: Pick<Services, "prices" | "judge_model">,
  loaded: LoadedScenario,
  { model_override, judge_model }: Replacement,
): LoadedScenario {
  if (model_override === undefined && judge_model === undefined) return loaded;
  const { definition: authored } = loaded;
  const { prices } = services;
  const overridden = model_override === undefined ? authored : applyModelOverride(authored, model_override);
  const scenario = withPrices(prices, authored, overridden);
  const model = judgeModelName(services, judge_model, authored.rubric.judge.model);
  const { price_per_mtok: _, ...settings } = authored.rubric.judge;
  const price_per_mtok = priceOf(prices, authored, model);
  const judge = { ...settings, model, ...(price_per_mtok !== null && { price_per_mtok }) };
  return { ...loaded, definition: { ...scenario, rubric: { ...scenario.rubric, judge } } };
}

/** Whether some worker of the shared store could take a run. The asked server counts only if it takes runs itself. */
const someWorkerCan = after("replay.tapes", "agents.dir")(
  "workers.scenario",
  "A worker can run it",
  async ({ services, loaded }: DeclaredScenario) => {
    const { workers = [] } = services;
    if (workers.length === 0)
      return warn("there is no worker", "start a worker: `abeval serve --worker` with this database");
    const needs = await needsOf(services, await needingOf({ services, loaded }));
    const ofMachines = needs.filter((need) => !isOfProtocols(need));
    const told = ofMachines.map((need) => `${need} on ${workersWith(services, need)}`).join(", ") || "it needs nothing";
    const able = workers.filter(({ capabilities }) => needs.every((need) => capabilities.includes(need)));
    if (able.length > 0) return pass(`${able.length} of ${workers.length}; ${told}`);
    const missing = needs.filter((need) => workersWith(services, need) === 0);
    const detail = missing.length > 0 ? `none has ${missing.join(", ")}` : `none of ${workers.length} has all: ${told}`;
    // A missing key is no fault of the scenario, as on one machine.
    const onlyKeys = missing.length > 0 && providersAmong(missing).length === missing.length;
    return onlyKeys ? warn(detail, HINT) : fail(detail, HINT);
  },
);

const HINT = "give one worker everything it lacks; until then a run is refused";

async function needingOf({ services, loaded: { definition } }: DeclaredScenario): Promise<Needing> {
  const recordings = await openRecordings(services, definition, {});
  return {
    arms: definition.arms,
    judge_model: judgeModelName(services, undefined, definition.rubric.judge.model),
    sandbox: await sandboxNeeded(services, definition),
    replayed: recordings?.replayed ?? [],
    recorded: recordings !== undefined,
    task: definition.task,
  };
}

/** A sandbox counts as needed even when no process has one. */
async function sandboxNeeded(services: Services, definition: Scenario): Promise<Needing["sandbox"]> {
  const found = await orUnavailable(() => sandboxFor(plannedWith(services), definition));
  if (found instanceof Failure) return "bubblewrap";
  return found.note === NOT_NEEDED ? null : found.sandbox.kind;
}
