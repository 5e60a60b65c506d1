import { extname } from "node:path";
import { CsvError, parse } from "csv-parse/sync";
import { Problems } from "../authored/problems.ts";
import { readYaml } from "../document/yaml-document.ts";
import { readText } from "../read-text.ts";
import { locateFile, type ResolveContext } from "../resolve/context.ts";
import { Unusable } from "../unusable.ts";

/** A file of inputs. */
const TABLE_BYTES = 16 * 1024 * 1024;

/** One row as it is written, with the place that errors name. */
export interface WrittenRow {
  readonly values: unknown;
  /** Such as `line 3, column 5`, in the file of inputs. */
  readonly place: string;
}

export interface WrittenRows {
  readonly rows: readonly WrittenRow[];
  /** The columns in the order of a CSV file's header; absent where rows name their own. */
  readonly header?: readonly string[];
}

/** The rows of a `.csv`, `.jsonl` or `.yaml` file. @throws Unusable with the line and column of a mistake */
export async function readTableRows(context: ResolveContext, path: string): Promise<WrittenRows> {
  const read = READERS.get(extname(path).toLowerCase());
  if (read === undefined) throw new Unusable("must end in .csv, .jsonl or .yaml");
  return read(await readText(await locateFile(context, path, "file"), TABLE_BYTES));
}

const READERS: ReadonlyMap<string, (text: string) => WrittenRows> = new Map([
  [".csv", readCsv],
  [".jsonl", readLines],
  [".yaml", readYamlRows],
  [".yml", readYamlRows],
]);

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

function readCsv(text: string): WrittenRows {
  const [first, ...records] = csvRecords(text);
  if (first === undefined) throw new Unusable("has no header; its first line names the columns");
  const header = first.record;
  for (const [index, name] of header.entries()) {
    if (name.trim() === "") throw new Unusable(`line 1, column ${index + 1}: the header has no name there`);
    if (header.indexOf(name) !== index)
      throw new Unusable(`line 1, column ${index + 1}: the header has "${name}" twice; keep one`);
  }
  const rows = records.map(({ record }, index) => ({
    values: Object.fromEntries(header.map((name, column) => [name, record[column] ?? ""])),
    // A row ends at this line; a quoted value may begin it earlier.
    place: `line ${(records[index - 1] ?? first).info.lines + 1}`,
  }));
  return { rows, header };
}

function csvRecords(text: string): readonly CsvRecord[] {
  try {
    return parse(text, { bom: true, info: true, skip_empty_lines: true }) as unknown as readonly CsvRecord[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new Unusable(csvFault(error));
  }
}

const FAULTS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: "a quote opens here and is never closed",
  INVALID_OPENING_QUOTE: 'a quote stands inside a value; put the whole value in quotes, and write "" for a quote in it',
  CSV_INVALID_CLOSING_QUOTE: 'a quote closes before the value ends; write "" for a quote in it',
};

function csvFault(error: CsvError): string {
  const [line, column] = [Number(error["lines"]), Number(error["column"])];
  if (error.code === "CSV_RECORD_INCONSISTENT_FIELDS_LENGTH") return `line ${line}: ${countsIn(error)}`;
  return `line ${line}, column ${column + 1}: ${FAULTS[error.code] ?? error.message}`;
}

const countsIn = ({ message }: CsvError) => {
  const [, expected, got] = /expect (\d+), got (\d+)/.exec(message) ?? [];
  return `has ${got} values, and the header names ${expected} columns`;
};

function readLines(text: string): WrittenRows {
  const rows = text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    try {
      return [{ values: JSON.parse(line) as unknown, place: `line ${index + 1}` }];
    } catch (error) {
      throw new Unusable(`line ${index + 1}: is not JSON: ${error instanceof Error ? error.message : error}`);
    }
  });
  return { rows };
}

function readYamlRows(text: string): WrittenRows {
  const problems = new Problems();
  const { value, position } = readYaml(text, problems);
  const placeOf = (problem: { readonly path: readonly (string | number)[] }) => {
    const { line, column } = position({ message: "", at: "value", ...problem });
    return `line ${line}, column ${column}`;
  };
  const [problem] = problems.found;
  if (problem) throw new Unusable(`${placeOf(problem)}: ${problem.message}`);
  if (!Array.isArray(value)) throw new Unusable("must hold a list of maps, one for each row");
  return { rows: value.map((values: unknown, index) => ({ values, place: placeOf({ path: [index] }) })) };
}
