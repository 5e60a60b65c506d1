import type { ModelPrices } from "../../arms/agent/agent-place.ts";
import type { RunArm } from "../../arms/arm/run-arm.ts";
import { splitModelRef } from "../../arms/model/model-ref.ts";
import type { Recording } from "../../arms/model/provider-call.ts";
import type { Install } from "../../arms/recipe/install.ts";
import { sandboxOwner } from "../../arms/sandbox/temp-dir.ts";
import type { Arm } from "../../domain/arm.ts";
import type { ExternalAgent } from "../../domain/external-agent.ts";
import { Failure, ofArm } from "../../domain/failure.ts";
import type { PriceList } from "../../domain/price-list.ts";
import type { Scenario } from "../../domain/scenario.ts";
import { filesSource } from "../scenario/fixture-source.ts";
import type { LoadedScenario } from "../scenario/loaded-scenario.ts";
import { priceOf } from "./cost-limits.ts";
import { agentServers } from "./mcp-tools.ts";
import type { SessionServices } from "./services.ts";

export type AgentServices = Pick<SessionServices, "agents_dir" | "openUpstream" | "entropy" | "sandboxes" | "prices">;

export type AgentArm = Arm & { readonly agent: ExternalAgent };

export const isAgentArm = (arm: Arm): arm is AgentArm => arm.agent !== undefined;

/**
 * What an arm's own agent is known by, besides what the scenario says: another version is another arm. Null without an install.
 * @throws Failure `invalid_request` for an install that is not there
 */
export async function agentDigest(
  { agents_dir }: Pick<SessionServices, "agents_dir">,
  arm: Arm,
): Promise<string | null> {
  if (!isAgentArm(arm)) return null;
  return (await installOfArm(agents_dir, arm))?.digest ?? null;
}

async function installOfArm(agents_dir: string | undefined, { id, agent }: AgentArm): Promise<Install | null> {
  const { installOf } = await import("../../arms/recipe/install.ts");
  try {
    return await installOf(agents_dir, agent);
  } catch (error) {
    throw ofArm(id, error);
  }
}

/** By arm id, of the external agents that have one. @throws as `agentDigest` */
export async function installDigests(
  services: Pick<SessionServices, "agents_dir">,
  arms: readonly Arm[],
): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(arms.map(async (arm) => [arm.id, await agentDigest(services, arm)] as const));
  return new Map(found.flatMap(([id, digest]) => (digest === null ? [] : [[id, digest] as const])));
}

/**
 * What runs an arm that is an external agent. Nothing of it is loaded for other arms.
 * @throws Failure `invalid_request` for an install that is not there, settings that cannot be read, or a model that the agent cannot talk to;
 * `credentials_missing`
 */
export async function agentRunner(
  services: AgentServices,
  loaded: LoadedScenario,
  arm: AgentArm,
  recording?: Recording,
): Promise<RunArm> {
  const [{ externalArm }, { checkSettings }, { recipeOf }, { wireOf, wireProblem }, { launcherCommand }] =
    await Promise.all([
      import("../../arms/agent/external-arm.ts"),
      import("../../arms/agent/agent-place.ts"),
      import("../../arms/recipe/recipes.ts"),
      import("../../arms/recipe/recipes.ts"),
      import("../../arms/agent/launcher-command.ts"),
    ]);
  const { model } = arm;
  const agent = { ...arm.agent, side_model: recording?.side_model ?? arm.agent.side_model };
  const wire = wireOf(agent, model);
  if (wire === null) throw new Failure("invalid_request", `arm "${arm.id}": ${wireProblem(agent, model)}`);
  const servers = agentServers(services, arm);
  const program = {
    agent,
    ...(servers && { servers }),
    recipe: recipeOf(agent),
    install: await installOfArm(services.agents_dir, arm),
    files: agent.files && filesSource(loaded, agent.files),
    upstream: services.openUpstream(model, wire, recording),
    prices: pricesBeside(services.prices, loaded.definition, arm, recording),
    launcher: launcherCommand(services.sandboxes.host),
    owner: sandboxOwner(),
    entropy: services.entropy,
  };
  try {
    checkSettings(program);
  } catch (error) {
    throw ofArm(arm.id, error);
  }
  return externalArm(program);
}

/** The prices of other models of the arm's provider. */
function pricesBeside(
  list: PriceList,
  scenario: Scenario,
  { model }: AgentArm,
  recording: Recording | undefined,
): ModelPrices {
  const nameOf = (one: string) => `${splitModelRef(model).provider}/${one}`;
  return { nameOf, of: (one) => priceOf(list, scenario, nameOf(one)), free: recording?.replayed === true };
}
