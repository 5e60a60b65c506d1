import type { LoadedScenario } from "../../comparison/scenario/loaded-scenario.ts";
import type { SentDefinition, SentToServer } from "../../comparison/scenario/scenario-catalog.ts";
import { SCENARIO_FILE_BYTES } from "../../domain/defaults.ts";
import { cut } from "../../domain/excerpt.ts";
import { Failure } from "../../domain/failure.ts";
import { Slug } from "../../domain/schema.ts";
import type { ScenarioSent } from "../../domain/sent-scenario.ts";
import { checkInput } from "./check-input.ts";
import type { Services } from "./operation.ts";

type Sending = Pick<Services, "catalog" | "sent">;

/** @throws Failure `not_allowed` */
export function demandSent({ sent }: Pick<Services, "sent">): SentToServer {
  if (sent) return sent;
  throw new Failure("not_allowed", "this server takes no scenarios from callers; start it with --allow-new-scenarios");
}

/**
 * Reads scenarios by name, those first that came with the request.
 * @throws Failure `invalid_request` for one that nobody asked for, or that has the name of a scenario here; as `sent` does
 */
export async function scenariosWith(
  services: Sending,
  names: readonly string[],
  given: readonly object[] | undefined,
): Promise<(name: string) => Promise<LoadedScenario>> {
  if (given === undefined) return async (name) => await services.catalog.get(name);
  const sent = demandSent(services);
  const loaded = new Map<string, LoadedScenario>();
  for (const one of given) {
    const definition = named(one);
    const { name } = definition;
    if (loaded.has(name)) throw refused(`two scenarios are called ${name}`);
    if (!names.includes(name)) throw refused(`is called "${cut(name)}", and what was asked for ${names.join(", ")}`);
    if (await isKept(services, name))
      throw refused(`there is a scenario ${name} here; run it without its definition, or give this one another name`);
    loaded.set(name, await sent.sent(definition));
  }
  return async (name) => loaded.get(name) ?? (await services.catalog.get(name));
}

/** A scenario whose rows may stand beside it. @throws Failure `invalid_request` */
export function definitionOf({ definition, inputs }: ScenarioSent): SentDefinition {
  if (inputs === undefined) return named(definition);
  if ("inputs" in definition) throw refused("has inputs of its own; give them once");
  return named({ ...definition, inputs });
}

/** @throws Failure `invalid_request` unless it has a name and a size of scenarios */
function named(definition: object): SentDefinition {
  const bytes = Buffer.byteLength(JSON.stringify(definition));
  const most = SCENARIO_FILE_BYTES / 1024;
  if (bytes > SCENARIO_FILE_BYTES)
    throw new Failure("body_too_large", `definition: has ${Math.ceil(bytes / 1024)} KiB, and may have ${most} KiB`);
  const name = "name" in definition ? checkInput(Slug(), definition.name) : undefined;
  if (name === undefined) throw refused("name is missing");
  return { ...definition, name };
}

async function isKept({ catalog }: Sending, name: string): Promise<boolean> {
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
