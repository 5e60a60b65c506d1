import { MAX_TABLE_ARMS } from "../../domain/contest-plan.ts";
import { didYouMean } from "../../domain/did-you-mean.ts";
import { cut } from "../../domain/excerpt.ts";
import {
  type ImportedResults,
  MAX_NAME,
  MAX_RESULT_PAIRS,
  MAX_RESULT_SCENARIOS,
  type ResultMeasure,
} from "../../domain/results.ts";
import {
  type ContestChoice,
  contestAmong,
  demandPairs,
  LISTED_ARMS,
  listed,
  namesInList,
  pairsIn,
  severalIn,
} from "./chosen-arms.ts";
import { ClusterColumn } from "./cluster-column.ts";
import { demandColumn, demandNoOtherTrial, MAX_KEYS, measureIn, ResultColumns } from "./result-columns.ts";
import { openTable, TableFault, type TableForm, type TableRow } from "./table-rows.ts";
import { type Used, usedByOthers, usedByTrials, usedIn } from "./used-columns.ts";

/** A table of results: what of it is compared, and the columns by which its scenarios can be grouped. */
type ReadResults = Pick<ImportedResults, "measure" | "arms" | "contest" | "scenarios" | "columns" | "cluster">;

/** What of a table is compared. */
export interface Choice extends ContestChoice {
  /** Two names or more, with commas between them. Absent: all arms of the table. */
  readonly arms?: string | undefined;
  /** The column whose value names the cluster of a scenario. */
  readonly cluster?: string | undefined;
}

/**
 * The results of two arms, or of more as a contest, in a table with the columns `scenario`, `trial`, `arm`, and `passed` or `score`.
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

class Reading {
  readonly #header: readonly string[] | undefined;
  readonly #choice: Choice;
  /** Ways to read two chosen names: a name may hold a comma. Undefined: all that occur. */
  readonly #pairs: readonly (readonly [string, string])[] | undefined;
  /** Whatever the chosen names may be. */
  readonly #names: ReadonlySet<string>;
  readonly #arms = new Set<string>();
  /** As many as can be compared, as they occur. */
  readonly #first: string[] = [];
  /** By arm, scenario and trial. */
  readonly #told = new Map<string, Map<string, Map<number, Told>>>();
  readonly #scenarios = new Set<string>();
  readonly #columns: ResultColumns;
  readonly #cluster: ClusterColumn | undefined;
  #measure: ResultMeasure | undefined;
  #results = 0;

  constructor(header: readonly string[] | undefined, choice: Choice) {
    const { arms, by, cluster } = choice;
    this.#header = header;
    this.#choice = choice;
    this.#pairs = arms === undefined ? undefined : pairsIn(arms);
    this.#names = new Set(arms === undefined ? [] : namesInList(arms));
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
    if (this.#first.length < MAX_TABLE_ARMS && !this.#first.includes(arm)) this.#first.push(arm);
    if (!this.#isCompared(arm)) return;
    const scenario = this.#name("scenario", values, line);
    const trial = this.#trial(values, columns, line);
    const value = this.#result(measure, values, line);
    this.#keep({ arm, scenario, trial }, { value, used: this.#used(values, columns, line), line });
    this.#columns.add(scenario, values, line);
    this.#cluster?.add(scenario, values, line);
  }

  results(): ReadResults {
    const chosen = this.#chosen();
    const [a = "", b = ""] = chosen;
    const contest = contestAmong(chosen, this.#choice);
    const scenarios = [...this.#scenarios].map((scenario) => ({
      scenario,
      ...trialsOf(chosen.map((arm) => this.#told.get(arm)?.get(scenario) ?? new Map())),
    }));
    demandPairs(contest?.pairs.map(({ arms }) => arms) ?? [chosen], chosen, scenarios);
    const columns = this.#columns.columns();
    return {
      ...{ measure: this.#measure ?? "passed", arms: { a, b }, ...(contest && { contest }), scenarios },
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
    return this.#pairs ? this.#names.has(arm) : this.#first.includes(arm);
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
    if (this.#results > 2 * MAX_RESULT_PAIRS) throw tooMany(told.line, this.#told.size);
  }

  #chosen(): readonly string[] {
    const arms = [...this.#arms];
    if (this.#pairs) return this.#named(this.#pairs, arms);
    const [a, b] = arms;
    if (a === undefined || b === undefined)
      throw new TableFault(a === undefined ? "has no rows" : `has one arm, ${cut(a)}; two are compared`, 1);
    if (arms.length > MAX_TABLE_ARMS)
      throw new TableFault(
        `${listed(arms)}; at most ${MAX_TABLE_ARMS} are compared: --arms <a>,<b>,...`,
        1,
        undefined,
        arms.slice(0, LISTED_ARMS),
      );
    return arms;
  }

  #named(pairs: readonly (readonly [string, string])[], arms: readonly string[]): readonly string[] {
    const isKnown = (name: string) => this.#told.has(name);
    const pair = pairs.find((names) => names.every(isKnown));
    if (pair) return pair;
    if (pairs.length > 1) return severalIn(this.#choice.arms ?? "", isKnown, arms);
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

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

const tooMany = (line: number, arms: number) =>
  new TableFault(
    arms > 2
      ? `more than ${2 * MAX_RESULT_PAIRS} results; name fewer --arms, or split the table`
      : `more than ${MAX_RESULT_PAIRS} pairs of results; split the table`,
    line,
  );

type Trials = Pick<ImportedResults["scenarios"][number], "trials" | "used" | "others" | "used_by_others">;

/** @param told by arm, its results by their number */
function trialsOf(told: readonly ReadonlyMap<number, Told>[]): Trials {
  const numbers = [...new Set(told.flatMap((own) => [...own.keys()]))].sort((one, other) => one - other);
  const [a, b, ...others] = told.map((own) => numbers.map((trial) => own.get(trial)));
  return {
    trials: numbers.map((trial, index) => [trial, a?.[index]?.value ?? null, b?.[index]?.value ?? null]),
    ...usedByTrials(numbers.map((_, index) => [a?.[index]?.used ?? {}, b?.[index]?.used ?? {}])),
    ...(others.length > 0 && {
      others: numbers.map((_, index) => others.map((own) => own[index]?.value ?? null)),
      ...usedByOthers(numbers.map((_, index) => others.map((own) => own[index]?.used ?? {}))),
    }),
  };
}
