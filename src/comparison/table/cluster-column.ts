import { clusterFrom, comparedValue, noCluster } from "../../domain/cluster.ts";
import { cut } from "../../domain/excerpt.ts";
import type { SeriesCluster } from "../../domain/series-record.ts";
import { demandColumn, OWN_COLUMNS } from "./result-columns.ts";
import { TableFault } from "./table-rows.ts";

/** The column of a table of results whose value names the cluster of each scenario. */
export class ClusterColumn {
  readonly #name: string;
  readonly #place: number | undefined;
  /** By scenario its value, and the line that told it. */
  readonly #told = new Map<string, { readonly value: string; readonly line: number }>();

  /** @throws TableFault for a column that is not there, or that says what a row is */
  constructor(name: string, header: readonly string[] | undefined) {
    this.#name = name;
    const place = header?.indexOf(name) ?? -1;
    this.#place = place < 0 ? undefined : place + 1;
    if (OWN_COLUMNS.includes(name)) throw this.#fault(`"${name}" says what a row is, so it names no cluster`, 1);
    if (header) demandColumn(name, header, { line: 1, named: "cluster: " });
  }

  /** @throws TableFault for a row without a value, or with another one than its scenario has */
  add(scenario: string, values: Readonly<Record<string, unknown>>, line: number): void {
    if (!Object.hasOwn(values, this.#name)) demandColumn(this.#name, Object.keys(values), { line, named: "cluster: " });
    const value = comparedValue(values[this.#name]);
    if (value === "") throw this.#fault(noCluster(scenario, this.#name), line);
    const before = this.#told.get(scenario);
    if (before && before.value !== value)
      throw this.#fault(
        `${cut(scenario)} has "${cut(before.value)}" in line ${before.line} and "${cut(value)}" here; a scenario is in one cluster`,
        line,
      );
    if (!before) this.#told.set(scenario, { value, line });
  }

  /** @throws TableFault where all scenarios are in one */
  cluster(): SeriesCluster {
    const found = clusterFrom(
      this.#name,
      [...this.#told.values()].map(({ value }) => value),
    );
    if (typeof found === "string") throw this.#fault(found, 1);
    return found;
  }

  #fault(why: string, line: number): TableFault {
    return new TableFault(`cluster: ${why}`, line, this.#place);
  }
}
