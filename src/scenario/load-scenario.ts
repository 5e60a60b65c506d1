import { basename, dirname, extname, resolve } from "node:path";
import { SCENARIO_FILE_BYTES } from "../domain/defaults.ts";
import { Failure } from "../domain/failure.ts";
import { scenarioDigest } from "./digest.ts";
import { GitFiles } from "./git/git-files.ts";
import type { LoadedScenario } from "./loaded-scenario.ts";
import { parseScenario, type ScenarioError } from "./parse-scenario.ts";
import { readText } from "./read-text.ts";
import { Unusable } from "./unusable.ts";

/** Endings of scenario files. */
export const SCENARIO_ENDINGS = [".yaml", ".yml"];

export interface ScenarioFilePath {
  readonly path: string;
  /** The file as messages name it. */
  readonly file: string;
  readonly consulted?: Set<string>;
  /** Reads the repository around the file; null forbids it. Absent: allowed. */
  readonly git?: GitFiles | null;
}

/**
 * One scenario file, for `abeval run <file>`. `consulted` takes the absolute paths of what else it names.
 * @throws Failure `invalid_scenario`
 */
export const loadScenarioFile = (path: string, consulted: Set<string> = new Set()): Promise<LoadedScenario> =>
  loadScenario({ path, file: path, consulted });

/** @throws Failure `invalid_scenario` */
export async function loadScenario({
  path,
  file,
  consulted = new Set(),
  git = new GitFiles(),
}: ScenarioFilePath): Promise<LoadedScenario> {
  const absolute = resolve(path);
  const ending = extname(path);
  if (!SCENARIO_ENDINGS.includes(ending))
    throw wholeFileFailure(file, "the file is not a scenario file; its name must end in .yaml or .yml");
  const text = await readText(absolute, SCENARIO_FILE_BYTES).catch((error: unknown) => {
    throw error instanceof Unusable ? wholeFileFailure(file, `the file ${error.message}${hint(error)}`) : error;
  });
  const directory = dirname(absolute);
  const definition = await parseScenario({ text, file, stem: basename(path, ending), directory, consulted, git });
  return { definition, digest: scenarioDigest(definition), file, directory };
}

const hint = ({ message }: Unusable) => (message === "does not exist" ? "; give the path of a .yaml file" : "");

/** What is wrong with a file as a whole has no line; a list of errors names its first character. */
export function wholeFileFailure(file: string, message: string): Failure {
  const error: ScenarioError = { line: 1, column: 1, field: "", message };
  return new Failure("invalid_scenario", `${file}: ${message}`, { details: { errors: [error] } });
}
