import { extname } from "node:path";
import { openTable, TABLE_BYTES, TableFault, type TableForm } from "../../table/table-rows.ts";
import { Problems } from "../authored/problems.ts";
import { readYaml } from "../document/yaml-document.ts";
import { readText } from "../read-text.ts";
import { locateFile, type ResolveContext } from "../resolve/context.ts";
import { Unusable } from "../unusable.ts";

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
  return await read(await readText(await locateFile(context, path, "file"), TABLE_BYTES));
}

const READERS = new Map<string, (text: string) => Promise<WrittenRows>>([
  [".csv", tableOf("csv")],
  [".jsonl", tableOf("jsonl")],
  [".yaml", readYamlRows],
  [".yml", readYamlRows],
]);

function tableOf(form: TableForm) {
  return async (text: string): Promise<WrittenRows> => {
    try {
      const { header, rows } = await openTable(text, form);
      const written: WrittenRow[] = [];
      for await (const { values, line } of rows) written.push({ values, place: `line ${line}` });
      return { rows: written, ...(header && { header }) };
    } catch (error) {
      if (!(error instanceof TableFault)) throw error;
      const { line, column, message } = error;
      throw new Unusable(`line ${line}${column === undefined ? "" : `, column ${column}`}: ${message}`);
    }
  };
}

async function readYamlRows(text: string): Promise<WrittenRows> {
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
