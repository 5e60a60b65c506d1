import { readAnswer, requestOf } from "../../../arms/endpoint/answer-protocol.ts";
import type { ArmAnswerer } from "../../../arms/endpoint/answering-arm.ts";
import { openEndpoint } from "../../../arms/endpoint/endpoint.ts";
import { programAnswerer } from "../../../arms/endpoint/program.ts";
import type { Workspace } from "../../../arms/workspace/workspace.ts";
import { postedCheck } from "../../../comparison/evidence/posted-check.ts";
import { askedOfArm, demandEndpoint, demandPosted } from "../../../comparison/planning/answering-runner.ts";
import { type LoadedScenario, oneMember } from "../../../comparison/scenario/loaded-scenario.ts";
import { isUnversioned } from "../../../domain/answering.ts";
import type { Arm } from "../../../domain/arm.ts";
import type { Changes } from "../../../domain/evidence.ts";
import { Failure, wordsOf } from "../../../domain/failure.ts";
import { hasCallRules } from "../../../domain/policies.ts";
import type { Scenario } from "../../../domain/scenario.ts";
import { type CheckPosted, postedChecks, promptFor } from "../../../domain/task.ts";
import { afterSetup, type Check, check, type Finding, fail, IDLE, orRefusal, pass, skip, warn } from "../check.ts";
import type { DeclaredScenario } from "../services.ts";
import type { DryRun } from "./dry-run.ts";

const endpointsOf = ({ loaded: { definition } }: DeclaredScenario): readonly Arm[] =>
  definition.arms.filter(({ endpoint }) => endpoint !== undefined);

/** Whom a run asks over HTTP, arms and then checks, with their addresses. */
const addressesIn = (declared: DeclaredScenario): readonly string[] => [
  ...endpointsOf(declared).map(({ id, endpoint }) => `${id}: ${endpoint?.url}`),
  ...postedChecks(declared.loaded.definition.task).map(({ id, posted }) => `check ${id}: ${posted.url}`),
];

/** Nobody is asked, not even a name server. */
const reachable = check("endpoints.address", "Endpoints may be asked", async (declared: DeclaredScenario) => {
  const { services, loaded } = declared;
  const addresses = addressesIn(declared);
  if (addresses.length === 0) return pass(IDLE.no_endpoint);
  const demands = [
    ...endpointsOf(declared).map((arm) => () => demandEndpoint(services, arm)),
    () => demandPosted(services, loaded.definition.task),
  ];
  for (const demand of demands) {
    const refused = await orRefusal(demand);
    if (!(refused instanceof Failure)) continue;
    return refused.code === "credentials_missing"
      ? warn(refused.message, "a run needs it; nothing else does")
      : fail(refused.message, null);
  }
  return pass(addresses.join("; "));
});

/** abeval sees the answer, not the machine. */
const rules = check("endpoints.rules", "What is known of endpoints", (declared: DeclaredScenario) => {
  const { definition } = declared.loaded;
  const arms = endpointsOf(declared);
  const checks = postedChecks(definition.task);
  if (arms.length + checks.length === 0) return pass(IDLE.no_endpoint);
  const unseen = arms.length === 0 ? [] : rulesUnseen(definition);
  const unversioned = [
    ...arms.filter(isUnversioned).map(({ id }) => id),
    ...checks.filter(isUnversioned).map(({ id }) => `check ${id}`),
  ].map((who) => `${who}: no version, so runs of other days do not count`);
  const gaps = [...(unseen.length > 0 ? [`${unseen.join(", ")} cannot be checked`] : []), ...unversioned];
  if (gaps.length === 0) return pass("every rule of the scenario can be checked");
  return warn(
    gaps.join("; "),
    "take out the rules, or run the program in the sandbox (`program`); give `endpoint.version`, and `posted.version` of a check",
  );
});

/** Rules that speak of what happens on a machine. Calls are known as the endpoint tells them. */
function rulesUnseen({ policies }: Scenario): readonly string[] {
  return [
    ...(hasCallRules(policies) ? ["policies.commands and policies.required (but for steps that it tells)"] : []),
    ...(policies.paths.protected.length > 0 ? ["policies.paths"] : []),
  ];
}

/** Milliseconds that a rehearsal may take. */
const REHEARSAL_MS = 60_000;

const SHAPES = "see docs/endpoints.md for what is asked and answered";

/** Sends the first question, and checks work that nobody did, where somebody asked for that. */
const rehearsal = check("endpoints.rehearsal", "Endpoints answer", async (declared: DeclaredScenario, signal) => {
  if (addressesIn(declared).length === 0) return pass(IDLE.no_endpoint);
  const { services, loaded } = declared;
  if (services.rehearse !== true) return skip(NOBODY_ASKED);
  if (services.recordings?.mode === "replay") return skip("a replay asks nobody");
  const member = await firstMember(loaded);
  const { task, arms } = member.definition;
  return await rehearsed(
    [
      ...arms.flatMap((arm) => (arm.endpoint ? [[arm.id, askingEndpoint(services, member, arm)] as const] : [])),
      ...postedChecks(task).map((one) => [`check ${one.id}`, askingCheck(services, member, one)] as const),
    ],
    signal,
  );
});

const NOBODY_ASKED = "nobody was asked; --rehearse sends each a first question";

const firstMember = (loaded: LoadedScenario) => oneMember(loaded, loaded.table?.rows[0]?.id);

/** @throws what is wrong with the answer, or kept it away */
type Ask = (signal: AbortSignal) => Promise<unknown>;

async function rehearsed(asked: readonly (readonly [who: string, ask: Ask])[], signal: AbortSignal): Promise<Finding> {
  const told: string[] = [];
  for (const [who, ask] of asked) {
    const late = AbortSignal.timeout(REHEARSAL_MS);
    const fault = await ask(AbortSignal.any([signal, late])).then(() => null, wordsOf);
    signal.throwIfAborted();
    if (late.aborted) return fail(`${who} did not answer within ${REHEARSAL_MS / 1_000} s`, SHAPES);
    if (fault !== null) return fail(`${who}: ${fault}`, SHAPES);
    told.push(`${who} answered`);
  }
  return pass(told.join("; "));
}

type Rehearsing = Pick<DeclaredScenario["services"], "endpoints" | "clock" | "arm_clock" | "entropy" | "redact">;

const askingEndpoint =
  (services: Rehearsing, member: LoadedScenario, arm: Arm): Ask =>
  async (signal) => {
    const { endpoint } = arm;
    if (endpoint === undefined) return;
    const answerer = await openEndpoint(services.endpoints, endpoint, { ...services, arm }, signal);
    await askFirst(answerer, services, [member, arm], signal);
  };

/** One question, which says that it is a rehearsal. */
async function askFirst(
  answerer: ArmAnswerer,
  { entropy, redact }: Pick<Rehearsing, "entropy" | "redact">,
  [member, arm]: readonly [LoadedScenario, Arm],
  signal: AbortSignal,
): Promise<void> {
  const { task } = member.definition;
  const asked = askedOfArm(member, arm, { trial: 1, seed: member.digest, rehearsal: true });
  const messages = [...(task.messages ?? []), { role: "user" as const, text: promptFor(task, arm) }];
  const { bytes, form } = await answerer.ask(requestOf(asked, messages, 0), { key: entropy(16), signal });
  await readAnswer(bytes, form, redact);
}

/** The reference answer, or none, of nobody. */
const askingCheck =
  (services: Rehearsing, { definition }: LoadedScenario, check: CheckPosted): Ask =>
  async (signal) => {
    const { input, task } = definition;
    const left = { ...{ answer: task.reference_answer?.text ?? null, decisions: [], changes: NO_CHANGES }, input };
    const posting = { check, posted: check.posted, left, redact: services.redact, rehearsal: true } as const;
    const { could_not_run } = await postedCheck(services, posting, signal);
    if (could_not_run !== undefined) throw new Failure("setup_failed", could_not_run);
  };

const NO_CHANGES: Changes = { files: [], patch: "", digest: "", truncated: false };

/** Starts a program in the sandbox, and asks it its first question, as `endpoints.rehearsal` asks an endpoint. */
const programs = afterSetup("programs.rehearsal", "Programs answer", async (dryRun: DryRun, signal) => {
  const arms = dryRun.loaded.definition.arms.filter(({ program }) => program !== undefined);
  if (arms.length === 0) return pass(IDLE.no_program);
  const { askProgram } = dryRun;
  if (askProgram === undefined) return skip(NOBODY_ASKED);
  return await rehearsed(
    arms.map((arm) => [arm.id, (stop) => askProgram(arm, stop)]),
    signal,
  );
});

/** @throws what is wrong with its answer, or kept it away */
export async function rehearseProgram(
  services: Pick<Rehearsing, "entropy" | "redact">,
  { loaded, arm, workspace }: { readonly loaded: LoadedScenario; readonly arm: Arm; readonly workspace: Workspace },
  signal: AbortSignal,
): Promise<void> {
  const member = await firstMember(loaded);
  const { policies, arms } = member.definition;
  const own = arms.find(({ id }) => id === arm.id) ?? arm;
  const answerer = programAnswerer(own.program?.run ?? [], { workspace, policies, redact: services.redact });
  await askFirst(answerer, services, [member, own], signal);
}

export const answeringTrials: readonly Check<DryRun>[] = [programs];

export const answeringChecks: readonly Check<DeclaredScenario>[] = [reachable, rules, rehearsal];
