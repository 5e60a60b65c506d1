import type { LoadedScenario } from "../../../scenario/loaded-scenario.ts";
import type { Surroundings } from "../services.ts";

/** A scenario as its file says it, and the services that its run would have. */
export interface Declared {
  readonly services: Surroundings;
  readonly loaded: LoadedScenario;
}
