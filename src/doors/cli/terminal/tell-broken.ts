import type { ScenarioCatalog } from "../../../comparison/scenario/scenario-catalog.ts";
import { Failure } from "../../../domain/failure.ts";

/** Scenarios that the line names. */
const NAMED = 3;

/** Says which scenarios are broken, or that they cannot be read. The program answers its clients meanwhile. */
export function tellBroken(catalog: ScenarioCatalog, notice: (line: string) => void): void {
  brokenIn(catalog).then(
    (broken) => broken.length > 0 && notice(inWords(broken, catalog.directory)),
    (error: unknown) => notice(error instanceof Failure ? error.message : String(error)),
  );
}

const brokenIn = async (catalog: ScenarioCatalog) =>
  (await catalog.list()).filter(({ error }) => error !== null).map(({ name }) => name);

function inWords(broken: readonly string[], directory: string): string {
  const named = `${broken.slice(0, NAMED).join(", ")}${broken.length > NAMED ? " and others" : ""}`;
  const scenarios = broken.length === 1 ? "1 scenario is broken" : `${broken.length} scenarios are broken`;
  return `${scenarios}: ${named}; abeval run --check ${directory}/<file> says why`;
}
