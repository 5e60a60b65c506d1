import { didYouMean } from "../../domain/did-you-mean.ts";
import { cut } from "../../domain/excerpt.ts";
import {
  type ImportedResults,
  MAX_NAME,
  MAX_RESULT_PAIRS,
  MAX_RESULT_SCENARIOS,
  type ResultMeasure,
} from "../../domain/results.ts";
import { ClusterColumn } from "./cluster-column.ts";
import { demandColumn, demandNoOtherTrial, MAX_KEYS, measureIn, ResultColumns } from "./result-columns.ts";
import { openTable, TableFault, type TableForm, type TableRow } from "./table-rows.ts";
import { type Used, usedByTrials, usedIn } from "./used-columns.ts";

/** A table of results: what of it is compared, and the columns by which its scenarios can be grouped. */
type ReadResults = Pick<ImportedResults, "measure" | "arms" | "scenarios" | "columns" | "cluster">;

/** What of a table is compared. */
export interface Choice {
  /** Two names with a comma between them. Absent: the table has two arms. */
  readonly arms?: string | undefined;
  /** A column that must group the scenarios. */
  readonly by?: string | undefined;
  /** The column whose value names the cluster of a scenario. */
  readonly cluster?: string | undefined;
}

/**
 * The results of two arms in a table with the columns `scenario`, `trial`, `arm`, and `passed` or `score`.
 * @throws TableFault
 */
export async function readResults(text: string, form: TableForm, choice: Choice = {}): Promise<ReadResults> {
  const { header, rows } = await openTable(text, form);
  const reading = new Reading(header, choice);
  for await (const row of rows) reading.add(row);
  return reading.results();
}

/** A result, what its run used, and the line that told it. */
interface Told {
  readonly value: number | null;
  readonly used: Used;
  readonly line: number;
}

/** Names of arms that a message lists. */
const LISTED_ARMS = 50;

class Reading {
  readonly #header: readonly string[] | undefined;
  /** Ways to read the chosen names: a name may hold a comma. Undefined: the first two that occur. */
  readonly #pairs: readonly (readonly [string, string])[] | undefined;
  readonly #arms = new Set<string>();
  /** The first two that occur. */
  readonly #first: string[] = [];
  /** By arm, scenario and trial. */
  readonly #told = new Map<string, Map<string, Map<number, Told>>>();
  readonly #scenarios = new Set<string>();
  readonly #columns: ResultColumns;
  readonly #cluster: ClusterColumn | undefined;
  #measure: ResultMeasure | undefined;
  #results = 0;

  constructor(header: readonly string[] | undefined, { arms, by, cluster }: Choice) {
    this.#header = header;
    this.#pairs = arms === undefined ? undefined : pairsIn(arms);
    if (header) this.#measure = measureIn(header, 1);
    for (const name of header ? ["scenario", "arm"] : []) demandColumn(name, header ?? [], { line: 1 });
    if (header) demandNoOtherTrial(header, 1);
    this.#columns = new ResultColumns(header, by);
    this.#cluster = cluster === undefined ? undefined : new ClusterColumn(cluster, header);
  }

  add({ values, line }: TableRow): void {
    if (!isMap(values)) throw new TableFault("a row must be an object with columns and values", line);
    const columns = this.#header ?? Object.keys(values).slice(0, MAX_KEYS);
    const measure = this.#measureOf(columns, line);
    const arm = this.#name("arm", values, line);
    if (this.#arms.size <= LISTED_ARMS) this.#arms.add(arm);
    if (this.#first.length < 2 && !this.#first.includes(arm)) this.#first.push(arm);
    if (!this.#isCompared(arm)) return;
    const scenario = this.#name("scenario", values, line);
    const trial = this.#trial(values, columns, line);
    const value = this.#result(measure, values, line);
    this.#keep({ arm, scenario, trial }, { value, used: this.#used(values, columns, line), line });
    this.#columns.add(scenario, values, line);
    this.#cluster?.add(scenario, values, line);
  }

  results(): ReadResults {
    const [a, b] = this.#chosen();
    const scenarios = [...this.#scenarios].map((scenario) => ({
      scenario,
      ...trialsOf(this.#told.get(a)?.get(scenario), this.#told.get(b)?.get(scenario)),
    }));
    if (!scenarios.some(({ trials }) => trials.some(([, ofA, ofB]) => ofA !== null && ofB !== null)))
      throw new TableFault(`no scenario and trial has a result of both ${cut(a)} and ${cut(b)}`, 1);
    const columns = this.#columns.columns();
    return {
      ...{ measure: this.#measure ?? "passed", arms: { a, b }, scenarios },
      ...(columns.length > 0 && { columns }),
      ...(this.#cluster && { cluster: this.#cluster.cluster() }),
    };
  }

  #measureOf(columns: readonly string[], line: number): ResultMeasure {
    const measure = this.#header ? (this.#measure ?? "passed") : measureIn(columns, line);
    this.#measure ??= measure;
    if (measure === this.#measure) return measure;
    throw new TableFault(`has "${measure}" where rows before it have "${this.#measure}"; keep to one`, line);
  }

  #isCompared(arm: string): boolean {
    return this.#pairs ? this.#pairs.some((pair) => pair.includes(arm)) : this.#first.includes(arm);
  }

  #keep({ arm, scenario, trial }: { arm: string; scenario: string; trial: number }, told: Told): void {
    this.#scenarios.add(scenario);
    if (this.#scenarios.size > MAX_RESULT_SCENARIOS)
      throw new TableFault(`more than ${MAX_RESULT_SCENARIOS} scenarios; split the table`, told.line);
    const ofArm = entry(this.#told, arm, () => new Map<string, Map<number, Told>>());
    const ofScenario = entry(ofArm, scenario, () => new Map<number, Told>());
    const before = ofScenario.get(trial);
    if (before)
      throw new TableFault(
        `${cut(arm)} has trial ${trial} of ${cut(scenario)} in line ${before.line} too; number the trials of a scenario 1, 2, ...`,
        told.line,
      );
    ofScenario.set(trial, told);
    this.#results += 1;
    if (this.#results > 2 * MAX_RESULT_PAIRS) throw tooMany(told.line);
  }

  #chosen(): readonly [string, string] {
    const arms = [...this.#arms];
    if (this.#pairs) return this.#named(this.#pairs, arms);
    const [a, b, ...others] = arms;
    if (a === undefined || b === undefined)
      throw new TableFault(a === undefined ? "has no rows" : `has one arm, ${cut(a)}; two are compared`, 1);
    if (others.length > 0)
      throw new TableFault(`${listed(arms)}; choose two: --arms <a>,<b>`, 1, undefined, arms.slice(0, LISTED_ARMS));
    return [a, b];
  }

  #named(pairs: readonly (readonly [string, string])[], arms: readonly string[]): readonly [string, string] {
    const isKnown = (name: string) => this.#told.has(name);
    const pair = pairs.find((names) => names.every(isKnown));
    if (pair) return pair;
    const meant = pairs.find((names) => names.some(isKnown)) ?? pairs[0];
    const stranger = meant?.find((name) => !isKnown(name)) ?? "";
    throw new TableFault(
      `no row has the arm "${cut(stranger)}"${didYouMean(stranger, arms) || `; ${listed(arms)}`}`,
      1,
    );
  }

  #name(column: "scenario" | "arm", values: Values, line: number): string {
    const value = given(values, column);
    const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
    // Marks that turn the direction of a line would show another name than the one that is compared.
    if (/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,200}$/u.test(text)) return text;
    if (text === "" && !this.#header) demandColumn(column, Object.keys(values), { line });
    const why = text === "" ? "must name it" : `must have 1 to ${MAX_NAME} characters that can be seen, in one line`;
    throw this.#fault(column, why, line);
  }

  /** A table without numbers has one trial of each scenario. */
  #trial(values: Values, columns: readonly string[], line: number): number {
    const value = given(values, "trial");
    if (value === undefined) {
      if (!this.#header) demandNoOtherTrial(columns, line);
      return 1;
    }
    const text = textOf(value);
    if (/^[1-9]\d{0,8}(\.0)?$/.test(text)) return Number(text);
    throw this.#fault("trial", `must be a whole number from 1, not "${cut(text)}"`, line);
  }

  /** An empty value, or null: the run has no result. */
  #result(measure: ResultMeasure, values: Values, line: number): number | null {
    const text = textOf(given(values, measure) ?? "").toLowerCase();
    if (text === "") return null;
    if (measure === "passed") {
      if (PASSED.has(text)) return 1;
      if (FAILED.has(text)) return 0;
      throw this.#fault(
        measure,
        `must be true, false, 1 or 0, or empty where there is no result, not "${cut(text)}"`,
        line,
      );
    }
    const score = /^(\d+\.?\d*|\.\d+)(e-?\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
    if (score >= 0 && score <= 1) return score;
    throw this.#fault(
      measure,
      `must be a number from 0 to 1, or empty where there is no result, not "${cut(text)}"`,
      line,
    );
  }

  #used(values: Values, columns: readonly string[], line: number): Used {
    const text = (column: string) => (columns.includes(column) ? textOf(given(values, column) ?? "") : undefined);
    return usedIn(text, (column, why) => this.#fault(column, why, line));
  }

  #fault(column: string, why: string, line: number): TableFault {
    const place = this.#header?.indexOf(column);
    return new TableFault(`${column}: ${why}`, line, place === undefined || place < 0 ? undefined : place + 1);
  }
}

type Values = Readonly<Record<string, unknown>>;

const PASSED = new Set(["true", "1", "1.0"]);
const FAILED = new Set(["false", "0", "0.0"]);

const isMap = (value: unknown): value is Values => typeof value === "object" && value !== null && !Array.isArray(value);

const given = (values: Values, column: string) => (Object.hasOwn(values, column) ? values[column] : undefined);

const textOf = (value: unknown): string => (typeof value === "string" ? value.trim() : (JSON.stringify(value) ?? ""));

/** Names that a comma may stand between. */
function pairsIn(arms: string): readonly (readonly [string, string])[] {
  const commas = [...arms.matchAll(/,/g)].map(({ index }) => index);
  const one = arms.trim();
  if (commas.length === 0) throw new TableFault(`two arms are compared: --arms <a>,<b>, not "${cut(one)}"`, 1);
  const pairs = commas.map((index) => [arms.slice(0, index).trim(), arms.slice(index + 1).trim()] as const);
  const distinct = pairs.filter(([a, b]) => a !== b);
  if (distinct.length === 0) throw new TableFault(`"${cut(pairs[0]?.[0] ?? "")}" cannot be compared with itself`, 1);
  return distinct;
}

function listed(arms: readonly string[]): string {
  const more = arms.length > LISTED_ARMS ? ", and more" : "";
  return `the arms are ${arms
    .slice(0, LISTED_ARMS)
    .map((arm) => cut(arm))
    .join(", ")}${more}`;
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

const tooMany = (line: number) =>
  new TableFault(`more than ${MAX_RESULT_PAIRS} pairs of results; split the table`, line);

type Trials = Pick<ImportedResults["scenarios"][number], "trials" | "used">;

function trialsOf(a: ReadonlyMap<number, Told> = new Map(), b: ReadonlyMap<number, Told> = new Map()): Trials {
  const numbers = [...new Set([...a.keys(), ...b.keys()])].sort((one, other) => one - other);
  return {
    trials: numbers.map((trial) => [trial, a.get(trial)?.value ?? null, b.get(trial)?.value ?? null]),
    ...usedByTrials(numbers.map((trial) => [a.get(trial)?.used ?? {}, b.get(trial)?.used ?? {}])),
  };
}
