import { readAnswer, requestOf } from "../../../arms/endpoint/answer-protocol.ts";
import { openEndpoint } from "../../../arms/endpoint/endpoint.ts";
import { askedOfArm, demandEndpoint } from "../../../comparison/planning/answering-runner.ts";
import { type LoadedScenario, oneMember } from "../../../comparison/scenario/loaded-scenario.ts";
import { isUnversioned } from "../../../domain/answering.ts";
import type { Arm } from "../../../domain/arm.ts";
import { Failure, wordsOf } from "../../../domain/failure.ts";
import { hasCallRules } from "../../../domain/policies.ts";
import type { Scenario } from "../../../domain/scenario.ts";
import { type Check, check, fail, IDLE, orRefusal, pass, skip, warn } from "../check.ts";
import type { DeclaredScenario } from "../services.ts";

const endpointsOf = ({ loaded: { definition } }: DeclaredScenario): readonly Arm[] =>
  definition.arms.filter(({ endpoint }) => endpoint !== undefined);

/** Nobody is asked, not even a name server. */
const reachable = check("endpoints.address", "Endpoints may be asked", async (declared: DeclaredScenario) => {
  const arms = endpointsOf(declared);
  if (arms.length === 0) return pass(IDLE.no_endpoint);
  for (const arm of arms) {
    const refused = await orRefusal(() => demandEndpoint(declared.services, arm));
    if (!(refused instanceof Failure)) continue;
    return refused.code === "credentials_missing"
      ? warn(refused.message, "a run needs it; nothing else does")
      : fail(refused.message, null);
  }
  return pass(arms.map(({ id, endpoint }) => `${id}: ${endpoint?.url}`).join("; "));
});

/** abeval sees the answer, not the machine. */
const rules = check("endpoints.rules", "What is known of endpoints", (declared: DeclaredScenario) => {
  const arms = endpointsOf(declared);
  if (arms.length === 0) return pass(IDLE.no_endpoint);
  const unseen = rulesUnseen(declared.loaded.definition);
  const unversioned = arms
    .filter(isUnversioned)
    .map(({ id }) => `${id}: no version, so runs of other days do not count`);
  const gaps = [...(unseen.length > 0 ? [`${unseen.join(", ")} cannot be checked`] : []), ...unversioned];
  if (gaps.length === 0) return pass("every rule of the scenario can be checked");
  return warn(
    gaps.join("; "),
    "take out the rules, or run the program in the sandbox (`program`); give `endpoint.version`",
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

/** Sends the first question, where somebody asked for that. */
const rehearsal = check("endpoints.rehearsal", "Endpoints answer", async (declared: DeclaredScenario, signal) => {
  const arms = endpointsOf(declared);
  if (arms.length === 0) return pass(IDLE.no_endpoint);
  const { services, loaded } = declared;
  if (services.rehearse !== true) return skip("nobody was asked; --rehearse sends each a first question");
  const member = await oneMember(loaded, loaded.table?.rows[0]?.id);
  const told: string[] = [];
  for (const { id } of arms) {
    const arm = member.definition.arms.find((one) => one.id === id);
    if (arm === undefined) continue;
    const late = AbortSignal.timeout(REHEARSAL_MS);
    const fault = await faultIn(rehearse(declared, member, arm, AbortSignal.any([signal, late])));
    signal.throwIfAborted();
    if (late.aborted) return fail(`${id} did not answer within ${REHEARSAL_MS / 1_000} s`, SHAPES);
    if (fault !== null) return fail(`${id}: ${fault}`, SHAPES);
    told.push(`${id} answered`);
  }
  return pass(told.join("; "));
});

const faultIn = (work: Promise<unknown>): Promise<string | null> => work.then(() => null, wordsOf);

/** One question, which says that it is a rehearsal. @throws what the endpoint's answer or address has */
async function rehearse({ services }: DeclaredScenario, loaded: LoadedScenario, arm: Arm, signal: AbortSignal) {
  if (arm.endpoint === undefined) return;
  const { messages = [], prompt } = loaded.definition.task;
  const asked = askedOfArm(loaded, arm, { trial: 1, seed: loaded.digest, rehearsal: true });
  const request = requestOf(asked, [...messages, { role: "user", text: prompt }], 0);
  const endpoint = await openEndpoint(services.endpoints, arm.endpoint, { ...services, arm });
  const { bytes, form } = await endpoint.ask(request, { key: services.entropy(16), signal });
  await readAnswer(bytes, form, services.redact);
}

export const answeringChecks: readonly Check<DeclaredScenario>[] = [reachable, rules, rehearsal];
