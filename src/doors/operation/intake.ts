import type { LoadedScenario } from "../../comparison/scenario/loaded-scenario.ts";
import type { NamedDefinition, ScenarioIntake } from "../../comparison/scenario/scenario-catalog.ts";
import { SCENARIO_FILE_BYTES } from "../../domain/defaults.ts";
import { cut } from "../../domain/excerpt.ts";
import { Failure } from "../../domain/failure.ts";
import type { ScenarioRequest } from "../../domain/scenario-request.ts";
import { Slug } from "../../domain/schema.ts";
import { checkInput } from "./check-input.ts";
import type { Services } from "./operation.ts";

type Taking = Pick<Services, "catalog" | "intake">;

/** @throws Failure `not_allowed` */
export function demandIntake({ intake }: Pick<Services, "intake">): ScenarioIntake {
  if (intake) return intake;
  throw new Failure("not_allowed", "this server takes no scenarios from callers; start it with --allow-new-scenarios");
}

/**
 * Reads scenarios by name, those first that came with the request.
 * @throws Failure `invalid_request` for one that nobody asked for, or that has the name of a scenario here; as `load` does
 */
export async function scenariosWith(
  services: Taking,
  names: readonly string[],
  given: readonly object[] | undefined,
): Promise<(name: string) => Promise<LoadedScenario>> {
  if (given === undefined) return async (name) => await services.catalog.get(name);
  const intake = demandIntake(services);
  const loaded = new Map<string, LoadedScenario>();
  for (const one of given) {
    const definition = named(one);
    const { name } = definition;
    if (loaded.has(name)) throw refused(`two scenarios are called ${name}`);
    if (!names.includes(name)) throw refused(`is called "${cut(name)}", and what was asked for ${names.join(", ")}`);
    if (await isKept(services, name))
      throw refused(`there is a scenario ${name} here; run it without its definition, or give this one another name`);
    loaded.set(name, await intake.load(definition));
  }
  return async (name) => loaded.get(name) ?? (await services.catalog.get(name));
}

/** A scenario whose rows may stand beside it. @throws Failure `invalid_request` */
export function definitionOf({ definition, inputs }: ScenarioRequest): NamedDefinition {
  if (inputs === undefined) return named(definition);
  if ("inputs" in definition) throw refused("has inputs of its own; give them once");
  return named({ ...definition, inputs });
}

/** @throws Failure `invalid_request` unless it has a name and a size of scenarios */
function named(definition: object): NamedDefinition {
  const bytes = Buffer.byteLength(JSON.stringify(definition));
  const most = SCENARIO_FILE_BYTES / 1024;
  if (bytes > SCENARIO_FILE_BYTES)
    throw new Failure("body_too_large", `definition: has ${Math.ceil(bytes / 1024)} KiB, and may have ${most} KiB`);
  const name = "name" in definition ? checkInput(Slug(), definition.name) : undefined;
  if (name === undefined) throw refused("name is missing");
  return { ...definition, name };
}

async function isKept({ catalog }: Taking, name: string): Promise<boolean> {
  try {
    await catalog.get(name);
    return true;
  } catch (error) {
    if (error instanceof Failure && error.code === "unknown_scenario") return false;
    // A broken one has the name, too.
    if (error instanceof Failure && error.code === "invalid_scenario") return true;
    throw error;
  }
}

const refused = (why: string) =>
  new Failure("invalid_request", `definition: ${why}`, { details: { field: "definition" } });
