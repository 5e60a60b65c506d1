import { stat } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import { SCENARIO_FILE_BYTES } from "../../domain/defaults.ts";
import type { NamedInput } from "../../domain/editable-inputs.ts";
import { Failure, orThrow } from "../../domain/failure.ts";
import type { Scenario, ScenarioInput } from "../../domain/scenario.ts";
import { strictText } from "../../runtime/strict-text.ts";
import { scenarioDigest } from "./digest.ts";
import { GitFiles } from "./git/git-files.ts";
import type { LoadedScenario } from "./loaded-scenario.ts";
import { parseScenario, type ScenarioError } from "./parse-scenario.ts";
import { readText } from "./read-text.ts";
import { Unusable } from "./unusable.ts";

/** Endings of scenario files, as directories list them. */
export const SCENARIO_ENDINGS = [".yaml", ".yml"];

/** Defaults for the command line, which may lie beside scenarios. */
export const CONFIG_FILE = "abeval.yaml";

/** Whether a file of a directory is listed as a scenario. */
export const isListedFile = (name: string): boolean =>
  SCENARIO_ENDINGS.includes(extname(name)) && !name.startsWith(".") && name !== CONFIG_FILE;

/** JSON is YAML. A directory holds much of it that is no scenario, so that such a file is read when it is named. */
const NAMED_ENDINGS = [...SCENARIO_ENDINGS, ".json"];

/** Stands for standard input in the place of a file. It has no name, and its paths are relative to the working directory. */
const STDIN = "-";

interface ScenarioFilePath {
  readonly path: string;
  /** The file as messages name it. */
  readonly file: string;
  /** Reads the repository around the file; null forbids it. Absent: allowed. */
  readonly git?: GitFiles | null;
}

/** The result of reading a scenario file. */
export interface ScenarioReading {
  /** The failure is `invalid_scenario`. */
  readonly result: LoadedScenario | Failure;
  /** Absolute paths of the files and directories that the result depends on, the scenario file among them. */
  readonly sources: ReadonlySet<string>;
  /** What it reads from commits of the repository around it. */
  readonly committed?: readonly NamedInput[] | undefined;
}

/** One scenario file, for `abeval run <file>`. @throws Failure `invalid_scenario` */
export const loadScenarioFile = async (path: string): Promise<LoadedScenario> =>
  orThrow((await readScenario({ path, file: path })).result);

export async function readScenario({ path, file, git = new GitFiles() }: ScenarioFilePath): Promise<ScenarioReading> {
  if (path === STDIN) return await readingOf(await stdinText(), { path: "stdin", file: "standard input", own: [] });
  const own = [resolve(path)];
  return await readingOf(await textOf(path, file), { path, file, own, stem: basename(path, extname(path)), git });
}

/** What somebody sent in the place of a file. */
interface DefinitionText {
  readonly text: string;
  readonly name: string;
  /** Where its paths start. */
  readonly directory: string;
  readonly git: GitFiles | null;
}

/** A scenario that was sent. @throws Failure `invalid_scenario`, whose message names fields: nobody sees lines of the text */
export async function loadDefinition({ text, name, directory, git }: DefinitionText): Promise<LoadedScenario> {
  const path = join(directory, `${name}.yaml`);
  const { result } = await readingOf(text, { path, file: name, own: [], stem: name, git });
  if (result instanceof Failure) throw byField(result);
  return result;
}

/** The failure with the fields of its errors in place of their lines. */
export function byField(failure: Failure): Failure {
  // parseScenario puts them there.
  const errors = failure.details?.["errors"] as readonly ScenarioError[] | undefined;
  if (errors === undefined) return failure;
  const told = errors.map(({ field, message }) => (field === "" ? message : `${field}: ${message}`));
  return new Failure(failure.code, told.join("; "));
}

interface ReadText extends ScenarioFilePath {
  /** What the scenario must be called; absent: as it says. */
  readonly stem?: string;
  /** The file itself. */
  readonly own: readonly string[];
}

async function readingOf(
  text: string | Failure,
  { path, file, stem, own, git = new GitFiles() }: ReadText,
): Promise<ScenarioReading> {
  if (text instanceof Failure) return { result: text, sources: new Set(own) };
  const directory = dirname(resolve(path));
  const parsed = await parseScenario({ text, file, directory, git, ...(stem !== undefined && { stem }) });
  const sources = new Set([...own, ...parsed.sources]);
  if (parsed.result instanceof Failure) return { result: parsed.result, sources };
  const { committed, rows, row_places = [], inputs_file, asks, fill, warnings, find } = parsed;
  const loaded = async (definition: Scenario): Promise<LoadedScenario> => {
    return {
      definition,
      digest: scenarioDigest(definition),
      file,
      directory,
      ...(asks && { asks }),
      ...(inputs_file !== undefined && { inputs_file }),
      findExposed: (agents_dir) => find(definition, basename(path), agents_dir),
    };
  };
  // A list of scenarios holds this as long as the process lives: a row is kept while somebody else has it.
  const resolved = new Map<string, WeakRef<LoadedScenario>>();
  const resolveRow = async (row: ScenarioInput) => {
    const known = resolved.get(row.id)?.deref();
    if (known) return known;
    const row_place = row_places[rows?.indexOf(row) ?? -1] ?? file;
    const member = { ...(await loaded(orThrow(await fill(row)))), row_place };
    resolved.set(row.id, new WeakRef(member));
    return member;
  };
  const result = {
    ...(await loaded(parsed.result)),
    ...(rows && { table: { rows, resolve: resolveRow } }),
    ...(warnings.length > 0 && { warnings }),
  };
  return { result, sources, committed };
}

let stdin: Promise<string | Failure> | undefined;

/** Read once, however often it is asked for: a series looks at its scenarios again. */
function stdinText(): Promise<string | Failure> {
  stdin ??= readStdin();
  return stdin;
}

async function readStdin(): Promise<string | Failure> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > SCENARIO_FILE_BYTES)
      return wholeFileFailure("standard input", `has more than ${SCENARIO_FILE_BYTES / 1024} KiB`);
    chunks.push(chunk);
  }
  const text = strictText(Buffer.concat(chunks));
  if (text === undefined) return wholeFileFailure("standard input", "is not UTF-8 text");
  return text.trim() === "" ? wholeFileFailure("standard input", "is empty; expected a scenario") : text;
}

async function textOf(path: string, file: string): Promise<string | Failure> {
  if (!NAMED_ENDINGS.includes(extname(path))) return wholeFileFailure(file, await notAScenarioFile(path));
  try {
    return await readText(resolve(path), SCENARIO_FILE_BYTES);
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    return wholeFileFailure(file, `the file ${error.message}${hint(error)}`);
  }
}

async function notAScenarioFile(path: string): Promise<string> {
  const isDirectory = await stat(resolve(path)).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isDirectory
    ? `is a directory; give its scenario files, for example as ${join(path, "*.yaml")}`
    : "the file is not a scenario file; its name must end in .yaml, .yml or .json";
}

const hint = ({ message }: Unusable) => (message === "does not exist" ? "; give the path of a .yaml file" : "");

/** A problem of the whole file has no line, so its error names the first character. */
export function wholeFileFailure(file: string, message: string): Failure {
  const error: ScenarioError = { line: 1, column: 1, field: "", message };
  return new Failure("invalid_scenario", `${file}: ${message}`, { details: { errors: [error] } });
}
