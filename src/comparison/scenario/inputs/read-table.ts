import { extname } from "node:path";
import { canonicalJson } from "../../../domain/canonical-json.ts";
import { clusterFrom, comparedValue, noCluster } from "../../../domain/cluster.ts";
import { didYouMeanAmong } from "../../../domain/did-you-mean.ts";
import { cut } from "../../../domain/excerpt.ts";
import type { Scenario, ScenarioInput } from "../../../domain/scenario.ts";
import { MAX_SCENARIOS } from "../../../domain/series-record.ts";
import { sha256 } from "../../../domain/sha256.ts";
import { MAX_COLUMNS } from "../../table/record-limits.ts";
import { openTable, TABLE_BYTES, TableFault, type TableForm } from "../../table/table-rows.ts";
import { type FieldPath, Problems } from "../authored/problems.ts";
import type { ScenarioFile } from "../authored/scenario-file.ts";
import { readYaml } from "../document/yaml-document.ts";
import { readText } from "../read-text.ts";
import { attempt, locateFile, type ResolveContext } from "../resolve/context.ts";
import { Unusable } from "../unusable.ts";
import { templatesOf } from "./templates.ts";

/** The inputs of a scenario file, every row with an id of its own. */
export interface Inputs {
  readonly rows: readonly ScenarioInput[];
  readonly told: NonNullable<Scenario["inputs"]>;
  /** Where each row begins, as messages name it; empty where it stands in the scenario file. */
  readonly places: readonly string[];
  /** Columns that nothing uses. */
  readonly unused: readonly string[];
}

/** Null where the file names none, or where they have problems. */
export async function readTable(context: ResolveContext, file: ScenarioFile): Promise<Inputs | null> {
  const { problems } = context;
  const { inputs, inputs_file, cluster } = file;
  if (cluster !== undefined && inputs === undefined && inputs_file === undefined)
    problems.add(
      ["cluster"],
      "names a column of inputs, and there are none: add `inputs` or `inputs_file`, or leave it out",
    );
  if (inputs !== undefined && inputs_file !== undefined)
    problems.add(["inputs_file"], "`inputs` is given too; keep one");
  const written = await writtenRows(context, file);
  if (written === null || !problems.sound(["inputs"]) || !problems.sound(["inputs_file"])) return null;
  const rows = checkedRows(context, written, sourceOf(file));
  if (rows === null) return null;
  const fields = fieldsOf(rows, written.header);
  if (fields.length > MAX_COLUMNS) {
    problems.add(
      sourceOf(file).path(0),
      `${sourceOf(file).name}has more than ${MAX_COLUMNS} columns; keep those that are used`,
    );
    return null;
  }
  const { used, faults } = templatesOf(file, fields);
  for (const { path, message } of faults) problems.add(path, message);
  if (!checkValues(context, rows, used, sourceOf(file), written)) return null;
  if (cluster !== undefined) checkCluster(context, { cluster, fields, rows }, sourceOf(file), written);
  const unused = fields.filter((name) => name !== "id" && name !== cluster && !used.has(name));
  const places = written.rows.map(({ place }) => place);
  return { rows, places, told: { count: rows.length, fields, digest: sha256(canonicalJson(rows)) }, unused };
}

async function writtenRows(
  context: ResolveContext,
  { inputs, inputs_file }: ScenarioFile,
): Promise<WrittenRows | null> {
  if (inputs_file === undefined)
    return Array.isArray(inputs) ? { rows: inputs.map((values) => ({ values, place: "" })) } : null;
  if (!context.problems.sound(["inputs_file"])) return null;
  return await attempt(context, ["inputs_file"], inputs_file, () => readTableRows(context, inputs_file));
}

/** Says where a row stands: in the scenario file by its path, in another by file, line and column. */
interface Source {
  /** Of the file, before what is wrong with it as a whole. */
  readonly name: string;
  readonly path: (index: number, field?: string) => FieldPath;
  readonly prefix: (row: WrittenRow) => string;
}

const sourceOf = ({ inputs_file }: ScenarioFile): Source =>
  inputs_file === undefined
    ? { name: "", path: (index, field) => ["inputs", index, ...(field === undefined ? [] : [field])], prefix: () => "" }
    : { name: `${inputs_file} `, path: () => ["inputs_file"], prefix: ({ place }) => `${inputs_file} ${place}: ` };

const ID = /^[A-Za-z0-9._-]{1,64}$/;

function checkedRows({ problems }: ResolveContext, { rows }: WrittenRows, source: Source): ScenarioInput[] | null {
  if (rows.length === 0) problems.add(source.path(0), `${source.name}has no rows; each row is one input`);
  if (rows.length > MAX_SCENARIOS)
    problems.add(source.path(MAX_SCENARIOS), `${rows.length} rows: ${MAX_SCENARIOS} at most; split them`);
  const found: ScenarioInput[] = [];
  const places = new Map<string, number>();
  for (const [index, row] of rows.slice(0, MAX_SCENARIOS).entries()) {
    const say = (message: string, field?: string) =>
      problems.add(source.path(index, field), source.prefix(row) + message);
    if (!isMap(row.values)) {
      say("a row must be a map of columns and values");
      continue;
    }
    const id = idOf(row.values["id"], index);
    const before = places.get(id);
    if (!ID.test(id)) say(`id "${cut(id)}" may have 1 to 64 letters, digits, dots, hyphens and underscores`, "id");
    if (before !== undefined) say(`id "${cut(id)}" is that of row ${before + 1} too; give each row its own`, "id");
    places.set(id, index);
    found.push({ id, values: row.values });
  }
  return found.length === rows.length && found.length > 0 && places.size === found.length ? found : null;
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A row without an id has its number. */
const idOf = (given: unknown, index: number): string =>
  given === undefined || given === null ? String(index + 1) : textOf(given);

const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

/** The names of all columns. It stops at the first row that makes them too many: such a table is refused. */
function fieldsOf(rows: readonly ScenarioInput[], header: readonly string[] = []): string[] {
  const fields = new Set(header);
  for (const { values } of rows) {
    if (fields.size > MAX_COLUMNS) break;
    for (const name of Object.keys(values)) fields.add(name);
  }
  return [...fields];
}

/** Every row has a value for whatever a template names. */
function checkValues(
  { problems }: ResolveContext,
  rows: readonly ScenarioInput[],
  used: ReadonlyMap<string, FieldPath>,
  source: Source,
  { rows: written }: WrittenRows,
): boolean {
  let complete = true;
  for (const [index, { id, values }] of rows.entries())
    for (const name of used.keys()) {
      if (Object.hasOwn(values, name) && values[name] !== null) continue;
      complete = false;
      const place = written[index];
      problems.add(
        source.path(index, name),
        `${place ? source.prefix(place) : ""}the row "${id}" has no value for ${name}, which {{${name}}} needs`,
      );
    }
  return complete;
}

interface Clustering {
  readonly cluster: string;
  readonly fields: readonly string[];
  readonly rows: readonly ScenarioInput[];
}

/** Every row is in a cluster, and there are two of them at least. */
function checkCluster(
  { problems }: ResolveContext,
  { cluster, fields, rows }: Clustering,
  source: Source,
  { rows: written }: WrittenRows,
): void {
  if (!fields.includes(cluster)) {
    const told = `the columns are ${cut(fields.join(", "), 300)}`;
    problems.add(["cluster"], `there is no column "${cut(cluster)}"${didYouMeanAmong(cluster, fields, told)}`);
    return;
  }
  const texts = rows.map(({ values }) => comparedValue(values[cluster]));
  for (const [index, text] of texts.entries()) {
    const place = written[index];
    if (text === "" && place)
      problems.add(source.path(index), `${source.prefix(place)}${noCluster(rows[index]?.id ?? "", cluster)}`);
  }
  const found = texts.includes("") ? null : clusterFrom(cluster, texts);
  if (typeof found === "string" && rows.length > 1) problems.add(["cluster"], found);
}

/** One row as it is written, with the place that errors name. */
interface WrittenRow {
  readonly values: unknown;
  /** Such as `line 3, column 5`, in the file of inputs. */
  readonly place: string;
}

interface WrittenRows {
  readonly rows: readonly WrittenRow[];
  /** The columns in the order of a CSV file's header; absent where rows name their own. */
  readonly header?: readonly string[];
}

/** The rows of a `.csv`, `.jsonl` or `.yaml` file. @throws Unusable with the line and column of a mistake */
async function readTableRows(context: ResolveContext, path: string): Promise<WrittenRows> {
  const read = READERS.get(extname(path).toLowerCase());
  if (read === undefined) throw new Unusable("must end in .csv, .jsonl or .yaml");
  return await read(await readText(await locateFile(context, path, "file"), TABLE_BYTES));
}

/** Bytes of a table in YAML, whose reader keeps all of it at once. */
const YAML_BYTES = 1024 * 1024;

const READERS = new Map<string, (text: string) => Promise<WrittenRows>>([
  [".csv", tableOf("csv")],
  [".jsonl", tableOf("jsonl")],
  [".yaml", readYamlRows],
  [".yml", readYamlRows],
]);

function tableOf(form: TableForm) {
  return async (text: string): Promise<WrittenRows> => {
    try {
      return await rowsIn(text, form);
    } catch (error) {
      if (!(error instanceof TableFault)) throw error;
      const { line, column, message } = error;
      throw new Unusable(`line ${line}${column === undefined ? "" : `, column ${column}`}: ${message}`);
    }
  };
}

async function rowsIn(text: string, form: TableForm): Promise<WrittenRows> {
  const { header, rows } = await openTable(text, form);
  const written: WrittenRow[] = [];
  for await (const { values, line } of rows) {
    if (written.length === MAX_SCENARIOS)
      throw new TableFault(`more than ${MAX_SCENARIOS} rows; split the table`, line);
    written.push({ values, place: `line ${line}` });
  }
  return { rows: written, ...(header && { header }) };
}

async function readYamlRows(text: string): Promise<WrittenRows> {
  const bytes = Buffer.byteLength(text);
  if (bytes > YAML_BYTES)
    throw new Unusable(
      `has ${bytes} bytes; a table in YAML has ${YAML_BYTES} at most. Write it as .csv or .jsonl, which are read row by row`,
    );
  const problems = new Problems();
  const { value, position } = await readYaml(text, problems);
  const placeOf = (problem: { readonly path: readonly (string | number)[] }) => {
    const { line, column } = position({ message: "", at: "value", ...problem });
    return `line ${line}, column ${column}`;
  };
  const [problem] = problems.found;
  if (problem) throw new Unusable(`${placeOf(problem)}: ${problem.message}`);
  if (!Array.isArray(value)) throw new Unusable("must hold a list of maps, one for each row");
  return { rows: value.map((values: unknown, index) => ({ values, place: placeOf({ path: [index] }) })) };
}
