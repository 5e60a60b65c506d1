import { resolve } from "node:path";
import { SCENARIO_FILE_BYTES } from "../../domain/defaults.ts";
import type { NamedInput } from "../../domain/editable-inputs.ts";
import { cut } from "../../domain/excerpt.ts";
import { Failure } from "../../domain/failure.ts";
import { asRecords } from "../../domain/lenient.ts";
import { type Price, type PriceList, PriceListFile, priceKey } from "../../domain/price-list.ts";
import type { Scenario, ScenarioInput } from "../../domain/scenario.ts";
import type { Task } from "../../domain/task.ts";
import { type FieldPath, fieldName, Problems } from "./authored/problems.ts";
import type { ScenarioFile } from "./authored/scenario-file.ts";
import { checkShape, readYaml, type YamlDocument } from "./document/yaml-document.ts";
import { GitFiles } from "./git/git-files.ts";
import { readTable } from "./inputs/read-table.ts";
import { sentColumns } from "./inputs/sent-columns.ts";
import { doubtfulBraces, filling, firstTemplate, toldOf } from "./inputs/templates.ts";
import type { Exposed, SeriesAsks } from "./loaded-scenario.ts";
import { readText } from "./read-text.ts";
import type { ResolveContext } from "./resolve/context.ts";
import { findExposed } from "./resolve/exposed.ts";
import { resolveScenario } from "./resolve/resolve-scenario.ts";
import { Unusable } from "./unusable.ts";

/** Errors that one message shows. */
const MAX_ERRORS = 20;

export interface ScenarioText {
  readonly text: string;
  /** The file as messages name it. */
  readonly file: string;
  /** The file's name without its ending; the scenario must be called so. Absent: it has any name. */
  readonly stem?: string;
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
  /** What it reads from commits. */
  readonly committed?: readonly NamedInput[];
  /** The rows of its inputs; absent where it has none. The result then holds templates. */
  readonly rows?: readonly ScenarioInput[];
  /** `<file>:<line>` of each. */
  readonly row_places?: readonly string[];
  readonly asks?: SeriesAsks;
  /** Absolute; the file with them, where it is another one. */
  readonly inputs_file?: string;
  /** The scenario with the values of a row in its texts, or `invalid_scenario`. */
  readonly fill: (row: ScenarioInput) => Promise<Scenario | Failure>;
  /** What its arms would find of what they are tested with. `name` is the file's own. */
  readonly find: (definition: Scenario, name: string, agents_dir: string | undefined) => Promise<readonly Exposed[]>;
  /** `<file>:<line>:<column> <field>: <what>` for what its author should know, though it can be run. */
  readonly warnings: readonly string[];
}

export async function parseScenario(source: ScenarioText): Promise<ParsedScenario> {
  const problems = new Problems();
  const document = await readYaml(source.text, problems);
  if (document.readable) checkShape(document.value, problems);
  const { directory: root, git = new GitFiles() } = source;
  const shared = { kept: new Map(), areas: new WeakMap<object, unknown>() };
  const context: ResolveContext = { problems, root, git, sources: new Set(), committed: [], ...shared };
  if (!isMap(document.value)) {
    const result = invalidScenario(source.file, located(document, problems));
    return { result, sources: context.sources, fill: async () => result, find: async () => [], warnings: [] };
  }
  // What reads it reads only the areas that have no problem yet, so the cast is safe.
  const file = document.value as ScenarioFile;
  const inputs = await readTable(context, file);
  const columns = inputs && { all: inputs.told.fields, sent: sentColumns(file, inputs.told.fields) };
  const template: ResolveContext = { ...context, template: inputs !== undefined, ...(columns && { columns }) };
  const definition = await resolveScenario(template, file, source.stem);
  const warn = (path: FieldPath, message: string): string =>
    errorLines(source.file, [
      { ...document.position({ path, message, at: "key" }), field: fieldName(path), message },
    ])[0] ?? "";
  return {
    result: definition
      ? { ...definition, ...(inputs && { inputs: inputs.told }) }
      : invalidScenario(source.file, located(document, problems)),
    sources: context.sources,
    committed: context.committed,
    asks: { measure: file.measure, control: file.control, cluster: file.cluster },
    ...(inputs && {
      rows: inputs.rows,
      row_places: inputs.places.map((place, index) =>
        file.inputs_file === undefined
          ? `${source.file}:${document.position({ path: ["inputs", index], message: "", at: "value" }).line}`
          : `${file.inputs_file}:${/\d+/.exec(place)?.[0] ?? "1"}`,
      ),
    }),
    ...(inputs && file.inputs_file !== undefined && { inputs_file: resolve(root, file.inputs_file) }),
    ...fillerOf(source, { ...template, template: false }, file),
    warnings: warningsOf(file, inputs, columns?.sent).map(({ path, message }) => warn(path, message)),
  };
}

/** Fills the rows, and looks at what they expose. As long as somebody may, it keeps the text, and not the thousands of parts in which it was read. */
function fillerOf(
  source: ScenarioText,
  context: ResolveContext,
  file: ScenarioFile,
): Pick<ParsedScenario, "fill" | "find"> {
  // The filled file holds no other rows: each would be checked again for each row.
  const { inputs: _rows, ...template } = file;
  const filled = filling(template);
  const fill: ParsedScenario["fill"] = async (row) => {
    const own = { ...context, problems: new Problems(), row: true };
    const text = filled(row.values, own.problems);
    checkShape(text, own.problems);
    const member = await resolveScenario(own, text as ScenarioFile, source.stem);
    if (member) return { ...member, task: withGiven(member.task, toldOf(template, row.values)), input: row };
    const errors = located(await readYaml(source.text, new Problems()), own.problems);
    return invalidScenario(
      source.file,
      errors.map((error) => ({ ...error, message: `${error.message} (with the input "${row.id}"${emptyIn(row)})` })),
    );
  };
  const find: ParsedScenario["find"] = (definition, name, agents_dir) => {
    const { input } = definition;
    // It was resolved. What arms are given holds no templates, so that all rows are given the same.
    const own = input ? (filled(input.values, new Problems()) as ScenarioFile) : file;
    return findExposed(context, { name, file: own, definition }, agents_dir);
  };
  return { fill, find };
}

/** A judge that reads no prompt reads what it was about. */
const withGiven = (task: Task, given: Record<string, string>): Task =>
  task.question === undefined || Object.keys(given).length === 0 ? task : { ...task, given };

const emptyIn = ({ values }: ScenarioInput) => {
  const names = Object.keys(values).filter((name) => values[name] === "");
  return names.length === 0 ? "" : `, whose ${cut(names.join(", "), 200)} is empty`;
};

function warningsOf(file: ScenarioFile, inputs: Awaited<ReturnType<typeof readTable>>, sent: readonly string[] = []) {
  const from = file.inputs_file === undefined ? "inputs" : "inputs_file";
  const answers = asRecords(file.arms).some((arm) => "endpoint" in arm || "program" in arm);
  if (inputs)
    return [
      ...inputs.unused
        .filter((name) => !answers || !sent.includes(name))
        .map((name) => ({
          path: [from],
          message: `nothing uses the column ${cut(name)}; write {{${cut(name)}}} where its value belongs, or group by it with --by`,
        })),
      ...doubtfulBraces(file, inputs.told.fields),
    ];
  const template = firstTemplate(file);
  if (template === undefined || file.inputs !== undefined || file.inputs_file !== undefined) return [];
  const names = cut(template.names.map((name) => `{{${name}}}`).join(", "), 200);
  return [{ path: template.path, message: `holds ${names}, which stays as it is: the file has no inputs` }];
}

const isMap = (value: unknown): value is object => typeof value === "object" && value !== null && !Array.isArray(value);

/** What was found, with its place, in the order of the file. */
function located(document: YamlDocument, problems: Problems): ScenarioError[] {
  return problems.found
    .map((problem) => ({ ...document.position(problem), field: fieldName(problem.path), message: problem.message }))
    .sort((a, b) => a.line - b.line || a.column - b.column);
}

function invalidScenario(file: string, errors: readonly ScenarioError[]): Failure {
  const details = { errors: errors.slice(0, MAX_ERRORS) };
  return new Failure("invalid_scenario", errorLines(file, errors).join("\n"), { details });
}

/** `<file>:<line>:<column> <field>: <what>` for each, up to a limit. */
function errorLines(file: string, errors: readonly ScenarioError[]): string[] {
  const lines = errors
    .slice(0, MAX_ERRORS)
    .map(({ line, column, field, message }) =>
      [`${file}:${line}:${column}`, field === "" ? message : `${field}: ${message}`].join(" "),
    );
  return errors.length > lines.length ? [...lines, `and ${errors.length - lines.length} more`] : lines;
}

const PRICES_SHAPE = {
  schema: PriceListFile,
  expected: "expected a map from <provider>/<model> to its price: {in: 3, out: 15, cached_in: 0.3}",
};

/**
 * What models cost, from a YAML file: a map from model to US dollars per million tokens.
 * @throws Failure `invalid_request` with a line `<file>:<line>:<column> <field>: <what>` for each mistake.
 */
export async function loadPriceList(path: string): Promise<PriceList> {
  const text = await readText(resolve(path), SCENARIO_FILE_BYTES).catch((error: unknown) => {
    throw error instanceof Unusable ? new Failure("invalid_request", `${path}: the file ${error.message}`) : error;
  });
  const problems = new Problems();
  const document = await readYaml(text, problems);
  if (document.readable) checkShape(document.value, problems, PRICES_SHAPE);
  const prices = problems.found.length === 0 ? pricesOf(document.value as PriceListFile, problems) : undefined; // no problem: it has the shape
  if (prices !== undefined && problems.found.length === 0) return prices;
  throw new Failure("invalid_request", errorLines(path, located(document, problems)).join("\n"));
}

function pricesOf(file: PriceListFile, problems: Problems): PriceList {
  const prices = new Map<string, Price>();
  for (const [model, price] of Object.entries(file)) {
    const key = priceKey(model);
    if (prices.has(key))
      problems.add([model], "is given twice: providers are the same in upper and lower case", { at: "key" });
    prices.set(key, { cached_in: null, ...price });
  }
  return prices;
}
