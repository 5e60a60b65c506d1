import { Failure } from "../../domain/failure.ts";
import type { Scenario } from "../../domain/scenario.ts";
import { fieldName, Problems } from "./authored/problems.ts";
import type { ScenarioFile } from "./authored/scenario-file.ts";
import { checkShape } from "./document/check-shape.ts";
import { readYaml, type YamlDocument } from "./document/yaml-document.ts";
import { GitFiles } from "./git/git-files.ts";
import type { ResolveContext } from "./resolve/context.ts";
import { resolveScenario } from "./resolve/resolve-scenario.ts";

/** Errors that one message shows. */
const MAX_ERRORS = 20;

export interface ScenarioText {
  readonly text: string;
  /** The file as messages name it. */
  readonly file: string;
  /** The file's name without its ending; the scenario must be called so. */
  readonly stem: string;
  /** Absolute directory of the file. */
  readonly directory: string;
  /** Reads the repository around the file; null forbids it. Absent: allowed. */
  readonly git?: GitFiles | null;
}

/** One mistake in a scenario file; line and column start at 1. */
export interface ScenarioError {
  readonly line: number;
  readonly column: number;
  /** Such as `arms[1].model`; empty for the whole file. */
  readonly field: string;
  readonly message: string;
}

interface ParsedScenario {
  /**
   * The scenario with shorthands, `extends`, defaults and files resolved; or `invalid_scenario`. Its message then has a line
   * `<file>:<line>:<column> <field>: <what>` for each mistake, in the order of the file; its details have them as `errors`
   * (`ScenarioError`).
   */
  readonly result: Scenario | Failure;
  /** Absolute paths of the files and directories that the result depends on. */
  readonly sources: ReadonlySet<string>;
}

export async function parseScenario(source: ScenarioText): Promise<ParsedScenario> {
  const problems = new Problems();
  const document = readYaml(source.text, problems);
  if (document.readable) checkShape(document.value, problems);
  const { directory: root, git = new GitFiles() } = source;
  const context: ResolveContext = { problems, root, git, sources: new Set() };
  // resolveScenario reads only the areas that have no problem yet, so the cast is safe.
  const definition = isMap(document.value)
    ? await resolveScenario(context, document.value as ScenarioFile, source.stem)
    : null;
  return { result: definition ?? invalidScenario(source.file, located(document, problems)), sources: context.sources };
}

const isMap = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

/** What was found, with its place, in the order of the file. */
export function located(document: YamlDocument, problems: Problems): ScenarioError[] {
  return problems.found
    .map((problem) => ({ ...document.position(problem), field: fieldName(problem.path), message: problem.message }))
    .sort((a, b) => a.line - b.line || a.column - b.column);
}

function invalidScenario(file: string, errors: readonly ScenarioError[]): Failure {
  const details = { errors: errors.slice(0, MAX_ERRORS) };
  return new Failure("invalid_scenario", errorLines(file, errors).join("\n"), { details });
}

/** `<file>:<line>:<column> <field>: <what>` for each, up to a limit. */
export function errorLines(file: string, errors: readonly ScenarioError[]): string[] {
  const lines = errors
    .slice(0, MAX_ERRORS)
    .map(({ line, column, field, message }) =>
      [`${file}:${line}:${column}`, field === "" ? message : `${field}: ${message}`].join(" "),
    );
  return errors.length > lines.length ? [...lines, `and ${errors.length - lines.length} more`] : lines;
}
