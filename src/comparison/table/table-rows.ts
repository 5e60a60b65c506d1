import { CsvError, type Parser, parse } from "csv-parse";
import { cut } from "../../domain/excerpt.ts";
import { wordsOf } from "../../domain/failure.ts";
import { isMalformed, NO_JSON, readBoundedJson } from "../../runtime/bounded-json.ts";
import { breathe, Pace } from "../../runtime/pace.ts";
import { RecordLimits, tooLong } from "./record-limits.ts";

/** The longest table that is read. Bytes. */
export const TABLE_BYTES = 16 * 1024 * 1024;

const TABLE_FORMS = ["csv", "jsonl"] as const;
export type TableForm = (typeof TABLE_FORMS)[number];

/** A mistake in a table; the message says what, without the place. */
export class TableFault extends Error {
  override readonly name = "TableFault";
  readonly line: number;
  /** From 1; in a header the number of the name. Absent where the whole line is meant. */
  readonly column: number | undefined;
  /** Names to choose from, where the fault is that too many are there. */
  readonly choices: readonly string[] | undefined;

  constructor(message: string, line: number, column?: number, choices?: readonly string[]) {
    super(message);
    this.line = line;
    this.column = column;
    this.choices = choices;
  }
}

/** One row as it is written. */
export interface TableRow {
  readonly values: unknown;
  /** Where it begins. */
  readonly line: number;
}

export interface Table {
  /** In the order of a CSV file's header; absent where rows name their own columns. */
  readonly header?: readonly string[];
  /** Read while they are asked for; others have their turn meanwhile. */
  readonly rows: AsyncIterable<TableRow>;
}

/** @throws TableFault, also while rows are read */
export async function openTable(text: string, form: TableForm): Promise<Table> {
  return form === "csv" ? await readCsv(text) : { rows: jsonRows(text) };
}

async function readCsv(text: string): Promise<Table> {
  const records = csvRecords(text);
  const first = (await records.next()).value;
  if (first === undefined) throw new TableFault("has no header; its first line names the columns", 1);
  // A template, and a flag, name a column without the spaces around it.
  const header = first.record.map((name) => name.trim());
  for (const [index, name] of header.entries()) {
    if (name === "") throw new TableFault("the header has no name there", 1, index + 1);
    if (header.indexOf(name) !== index)
      throw new TableFault(`the header has "${cut(name)}" twice; keep one`, 1, index + 1);
  }
  return { header, rows: rowsOf(header, records) };
}

async function* rowsOf(header: readonly string[], records: AsyncIterable<CsvRecord>): AsyncGenerator<TableRow> {
  const pace = new Pace();
  for await (const { record, info } of records) {
    await pace.units(1 + record.length / VALUES_OF_UNIT);
    const values = Object.fromEntries(header.map((name, column) => [name, record[column] ?? ""]));
    // A row ends at this line; a quoted value may begin it earlier.
    let { lines } = info;
    for (const value of record) if (value.includes("\n")) lines -= await lineEndsIn(value);
    yield { values, line: lines };
  }
}

/** Values of a row that are looked at in the time of one unit. */
const VALUES_OF_UNIT = 50;

async function lineEndsIn(value: string): Promise<number> {
  let ends = 0;
  for (let at = value.indexOf("\n"); at >= 0; at = value.indexOf("\n", at + 1)) {
    ends += 1;
    if (ends % SLICE === 0) await breathe();
  }
  return ends;
}

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** Characters that are parsed before others have their turn: some milliseconds. */
const SLICE = 64 * 1024;

async function* csvRecords(text: string): AsyncGenerator<CsvRecord, undefined> {
  const found: CsvRecord[] = [];
  // Left to itself the parser takes the first line's end for all: an editor may have added lines with another.
  const end = (await endsLinesInCr(text)) ? "\r" : "\n";
  const record_delimiter = end === "\r" ? [end] : ["\r\r\n", "\r\n", end];
  const limits = new RecordLimits(end);
  const parser = parse({ bom: true, info: true, skip_empty_lines: true, record_delimiter });
  parser.on("data", (record: CsvRecord) => found.push(record));
  const failed = new Promise<never>((_, reject) => parser.on("error", reject));
  failed.catch(() => undefined);
  try {
    for (let start = 0; start < text.length; start += SLICE) {
      const slice = text.slice(start, start + SLICE);
      await Promise.race([failed, written(parser, slice)]);
      const excess = limits.passedIn(slice);
      if (excess) throw new TableFault(excess.why, excess.line);
      yield* found.splice(0);
      await breathe();
    }
    await Promise.race([failed, ended(parser)]);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw error.code === "CSV_QUOTE_NOT_CLOSED" ? await openQuote(text, error) : csvFault(error);
  }
  yield* found.splice(0);
  return undefined;
}

/** The first end of a line tells it; in a quoted value there may be any other. Some tools write two returns before it. */
async function endsLinesInCr(text: string): Promise<boolean> {
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    if (at % SLICE === 0) await breathe();
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (text[at] === "\r" || text[at] === "\n"))
      return text[at] === "\r" && !/^\r?\n/.test(text.slice(at + 1, at + 3));
  }
  return false;
}

const written = (parser: Parser, slice: string) => new Promise<void>((resolve) => parser.write(slice, () => resolve()));

const ended = (parser: Parser) =>
  new Promise<void>((resolve) => {
    parser.on("end", resolve);
    parser.end();
  });

const FAULTS: Readonly<Record<string, string>> = {
  INVALID_OPENING_QUOTE: 'a quote stands inside a value; put the whole value in quotes, and write "" for a quote in it',
  CSV_INVALID_CLOSING_QUOTE:
    'a quote closes before the value ends; write "" for a quote in it, or close the value that begins further up',
};

/** The parser tells the last line of the table. Quotes that precede the one that stays open are in pairs. */
async function openQuote(text: string, error: CsvError): Promise<TableFault> {
  let [line, opening, isQuoted] = [1, 1, false];
  for (let at = 0; at < text.length; at++) {
    if (at % SLICE === 0) await breathe();
    if (text[at] === "\n") line += 1;
    if (text[at] !== '"') continue;
    isQuoted = !isQuoted;
    if (isQuoted && text[at - 1] !== '"') opening = line;
  }
  const message = "a quote opens here and is never closed; put one at the end of the value";
  return new TableFault(message, opening, Number(error["column"]) + 1);
}

function csvFault(error: CsvError): TableFault {
  const [line, column] = [Number(error["lines"]), Number(error["column"])];
  if (error.code === "CSV_RECORD_INCONSISTENT_FIELDS_LENGTH") return new TableFault(countsIn(error), line);
  return new TableFault(FAULTS[error.code] ?? error.message, line, column + 1);
}

/** What columns there are, for the end of a message. A header without commas is told as such. */
export function columnsText(columns: readonly string[]): string {
  const [only = ""] = columns;
  if (columns.length === 1 && /[;\t]/.test(only))
    return `; the header is one column, "${cut(only)}": write commas between columns`;
  return `; there are ${cut(columns.join(", "), 300)}`;
}

const countsIn = ({ message }: CsvError) => {
  const [, expected, got] = /expect (\d+), got (\d+)/.exec(message) ?? [];
  return `has ${got} values, and the header names ${expected} columns; a value with a comma in it needs quotes, an empty one keeps its comma`;
};

/** Characters of one JSON value: a longer one would be parsed without a pause. */
const MAX_LINE = 1024 * 1024;

/** A character of JSON takes as long as so many bytes that are only compared: it becomes values, which are looked at. */
const PARSED = 100;

async function* jsonRows(text: string): AsyncGenerator<TableRow> {
  const pace = new Pace();
  let line = 0;
  for (let start = 0; start <= text.length; ) {
    const end = text.indexOf("\n", start);
    const written = text.slice(start, end < 0 ? text.length : end);
    start = end < 0 ? text.length + 1 : end + 1;
    line += 1;
    if (written.trim() === "") continue;
    if (written.length > MAX_LINE) throw new TableFault(tooLong(MAX_LINE), line);
    await pace.bytes(1_000 + PARSED * written.length);
    yield { values: parsed(written, line), line };
  }
}

/** Values of one line, those that lie in others among them. */
const MAX_VALUES = 100_000;

function parsed(text: string, line: number): unknown {
  const read = readBoundedJson(Buffer.from(text), { bytes: 3 * MAX_LINE, values: MAX_VALUES });
  if (!("fault" in read)) return read.value;
  if (!isMalformed(read.fault)) throw new TableFault(`has ${read.fault}`, line);
  const advice = "each line is one whole object, with no comma after it or after its last value";
  throw new TableFault(`is not JSON: ${reasonIn(text)}; ${advice}`, line);
}

/** The parser's words for what is wrong with a text within the limits. */
function reasonIn(text: string): string {
  try {
    JSON.parse(text);
  } catch (error) {
    return cut(wordsOf(error), 100);
  }
  return NO_JSON;
}
