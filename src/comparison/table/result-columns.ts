import { columnFrom, GROUP_VALUE_CHARS } from "../../domain/columns.ts";
import { closestTo } from "../../domain/did-you-mean.ts";
import { EFFICIENCY_FIGURES } from "../../domain/efficiency.ts";
import { cut } from "../../domain/excerpt.ts";
import { RESULT_MEASURES, type ResultMeasure } from "../../domain/results.ts";
import { MAX_GROUPS, type SeriesColumn } from "../../domain/series-record.ts";
import { columnsText, TableFault } from "./table-rows.ts";

/** The columns of a row of JSON that are looked at, and those of a table that are tried for groups. */
export const MAX_KEYS = 100;

export const OWN_COLUMNS: readonly string[] = ["scenario", "trial", "arm", ...RESULT_MEASURES, ...EFFICIENCY_FIGURES];

/** The first value of a scenario, and the line that told it. */
interface Told {
  readonly value: string;
  readonly line: number;
}

/** The columns of a table of results that say something of its scenarios, such as their language or topic. */
export class ResultColumns {
  readonly #header: readonly string[] | undefined;
  readonly #by: string | undefined;
  /** By column. What can group nothing is taken out. */
  readonly #told = new Map<string, Column>();
  readonly #out = new Set<string>(OWN_COLUMNS);
  readonly #scenarios = new Map<string, number>();

  /** @param by the column that must group the scenarios; absent: those are found that can. */
  constructor(header: readonly string[] | undefined, by: string | undefined) {
    this.#header = header;
    this.#by = by;
    if (by === undefined) return;
    if (OWN_COLUMNS.includes(by)) throw this.#fault(`"${by}" says what a row is, so it groups no scenarios`, 1);
    if (header) demandColumn(by, header, { line: 1, named: "by: " });
    this.#told.set(by, new Column());
  }

  /** @throws TableFault where the column that must group the scenarios cannot */
  add(scenario: string, values: Readonly<Record<string, unknown>>, line: number): void {
    for (const column of this.#header ?? Object.keys(values)) this.#begin(column);
    for (const [name, column] of this.#told) {
      const value = textOf(Object.hasOwn(values, name) ? values[name] : undefined);
      const why = column.add(scenario, { value, line });
      if (why !== undefined) this.#leaveOut(name, why, line);
    }
    if (!this.#scenarios.has(scenario)) this.#scenarios.set(scenario, line);
  }

  /** @throws TableFault where the column that must group the scenarios does not */
  columns(): SeriesColumn[] {
    const by = this.#by;
    if (by !== undefined && !this.#header && this.#told.get(by)?.isEmpty) {
      const named = [...this.#out, ...this.#told.keys()].filter((one) => one !== by);
      throw this.#fault(`no row has "${cut(by)}"${meantText(by, named)}`, 1);
    }
    const found = [...this.#told].flatMap(([field, column]) => columnFrom(field, this.#textsOf(column)) ?? []);
    if (by !== undefined && !found.some(({ field }) => field === by))
      throw this.#fault(`each scenario has its own "${cut(by)}", so there is nothing to group`, 1);
    return found;
  }

  /**
   * Rows of JSON name their own columns: what rows before this one lacked is empty there. Those that were taken out count
   * too, as each costs a look at every scenario.
   */
  #begin(column: string): void {
    if (this.#out.has(column) || this.#told.has(column)) return;
    if (this.#told.size + this.#out.size >= MAX_KEYS + OWN_COLUMNS.length) return;
    this.#told.set(column, new Column(this.#scenarios));
  }

  #leaveOut(column: string, why: string, line: number): void {
    if (column === this.#by) throw this.#fault(`${cut(column)}: ${why}`, line);
    this.#told.delete(column);
    this.#out.add(column);
  }

  #textsOf(column: Column): readonly string[] {
    return [...this.#scenarios.keys()].map((scenario) => column.valueOf(scenario));
  }

  #fault(why: string, line: number): TableFault {
    const place = this.#header?.indexOf(this.#by ?? "") ?? -1;
    return new TableFault(`by: ${why}`, line, place < 0 ? undefined : place + 1);
  }
}

/** What a column says of each scenario. */
class Column {
  readonly #told = new Map<string, Told>();
  readonly #values = new Set<string>();

  /** @param before scenarios whose rows lacked the column, with their lines */
  constructor(before: ReadonlyMap<string, number> = new Map()) {
    for (const [scenario, line] of before) this.add(scenario, { value: "", line });
  }

  get isEmpty(): boolean {
    return this.#values.size === 1 && this.#values.has("");
  }

  valueOf(scenario: string): string {
    return this.#told.get(scenario)?.value ?? "";
  }

  /** Why it cannot group the scenarios; undefined while it can. */
  add(scenario: string, told: Told): string | undefined {
    const { value } = told;
    const before = this.#told.get(scenario);
    if (before?.value === value) return undefined;
    if (before)
      return `${cut(scenario)} has "${cut(before.value)}" in line ${before.line} and "${cut(value)}" here; a scenario is in one group`;
    if (value.length > GROUP_VALUE_CHARS)
      return `a value by which scenarios are grouped has at most ${GROUP_VALUE_CHARS} characters`;
    this.#told.set(scenario, told);
    this.#values.add(value);
    if (this.#values.size <= MAX_GROUPS) return undefined;
    return `more than ${MAX_GROUPS} values; scenarios are grouped by a column with few`;
  }
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value.trim() : value === undefined || value === null ? "" : JSON.stringify(value);

/** @throws TableFault */
export function measureIn(columns: readonly string[], line: number): ResultMeasure {
  const [measure, other] = RESULT_MEASURES.filter((name) => columns.includes(name));
  if (measure === undefined) {
    const close = RESULT_MEASURES.flatMap((name) => closestTo(name, columns) ?? [])[0];
    const meant = close === undefined ? columnsText(columns) : `; is "${cut(close)}" meant?`;
    throw new TableFault(`there is no column "passed" or "score"${meant}`, line);
  }
  if (other !== undefined) throw new TableFault('has "passed" and "score"; keep one', line, columns.indexOf(other) + 1);
  return measure;
}

/** @throws TableFault */
export function demandColumn(
  name: string,
  columns: readonly string[],
  { line, named = "" }: { readonly line: number; readonly named?: string },
): void {
  if (columns.includes(name)) return;
  throw new TableFault(`${named}there is no column "${cut(name)}"${meantText(name, columns)}`, line);
}

function meantText(name: string, columns: readonly string[]): string {
  const close = closestTo(name, columns);
  return close === undefined ? columnsText(columns) : `; is "${cut(close)}" meant?`;
}

/** The column "trial" may be absent. @throws TableFault where another one seems to be meant as it */
export function demandNoOtherTrial(columns: readonly string[], line: number): void {
  const close = columns.includes("trial") ? undefined : closestTo("trial", columns);
  if (close !== undefined) throw new TableFault(`there is no column "trial"; is "${cut(close)}" meant?`, line);
}
