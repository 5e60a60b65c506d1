import type { RunArm } from "../arm/run-arm.ts";
import { Failure } from "../domain/failure.ts";
import type { Arm, ExternalAgent } from "../domain/scenario.ts";
import { sandboxOwner } from "../sandbox/temp-dir.ts";
import { filesSource } from "../scenario/fixture-source.ts";
import type { LoadedScenario } from "../scenario/loaded-scenario.ts";
import type { SessionServices } from "./services.ts";

export type AgentServices = Pick<SessionServices, "agents_dir" | "openUpstream" | "entropy" | "sandboxes">;

export type AgentArm = Arm & { readonly agent: ExternalAgent };

export const isAgentArm = (arm: Arm): arm is AgentArm => arm.agent !== undefined;

/**
 * What runs an arm that is an external agent. Nothing of it is loaded for other arms.
 * @throws Failure `invalid_request` for an install that is not there or a model that the agent cannot talk to;
 * `credentials_missing`
 */
export async function agentRunner(
  services: AgentServices,
  { directory }: Pick<LoadedScenario, "directory">,
  arm: AgentArm,
): Promise<RunArm> {
  const [{ externalArm }, { recipeOf }, { wireOf, wireProblem }, { installOf }, { doorCommand }] = await Promise.all([
    import("../agent/external-arm.ts"),
    import("../agent/recipe/recipes.ts"),
    import("../agent/recipe/choose-wire.ts"),
    import("../agent/recipe/install.ts"),
    import("../agent/door-command.ts"),
  ]);
  const { agent, model } = arm;
  const wire = wireOf(agent, model);
  if (wire === null) throw new Failure("invalid_request", `arm "${arm.id}": ${wireProblem(agent, model)}`);
  return externalArm({
    agent,
    recipe: recipeOf(agent),
    install: await installOf(services.agents_dir, agent),
    files: agent.files && filesSource(directory, agent.files),
    upstream: services.openUpstream(model, wire),
    door: doorCommand(services.sandboxes.host),
    owner: sandboxOwner(),
    entropy: services.entropy,
  });
}
