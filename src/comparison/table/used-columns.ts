import { EFFICIENCY_FIGURES, type EfficiencyFigure } from "../../domain/efficiency.ts";
import { cut } from "../../domain/excerpt.ts";
import type { ImportedResults } from "../../domain/results.ts";

/** What a row says that its run used; null where it says nothing of a column that the table has. */
export type Used = Readonly<Partial<Record<EfficiencyFigure, number | null>>>;

/** Beyond it sums lose whole units. */
const MOST = 1e15;

/**
 * @param textOf the value of a column as text; undefined where the row has no such column
 * @param fault for a value that is no amount
 */
export function usedIn(
  textOf: (column: EfficiencyFigure) => string | undefined,
  fault: (column: EfficiencyFigure, why: string) => Error,
): Used {
  const used: Partial<Record<EfficiencyFigure, number | null>> = {};
  for (const figure of EFFICIENCY_FIGURES) {
    const text = textOf(figure);
    if (text === undefined) continue;
    const amount = /^(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : Number.NaN;
    if (text !== "" && !(amount <= MOST))
      throw fault(figure, `must be a number from 0 to ${MOST}, or empty where it is not known, not "${cut(text)}"`);
    used[figure] = text === "" ? null : amount;
  }
  return used;
}

type Scenario = ImportedResults["scenarios"][number];

/** By column, in the order of the trials; absent where no row has one. @param pairs what each arm used, by trial */
export function usedByTrials(pairs: readonly (readonly [Used, Used])[]): Pick<Scenario, "used"> {
  const columns = columnsTold(pairs, (figure) =>
    pairs.map(([a, b]): [number | null, number | null] => [a[figure] ?? null, b[figure] ?? null]),
  );
  return columns ? { used: columns } : {};
}

/** The same of the arms behind the first two. */
export function usedByOthers(arms: readonly (readonly Used[])[]): Pick<Scenario, "used_by_others"> {
  const columns = columnsTold(arms, (figure) => arms.map((all) => all.map((used) => used[figure] ?? null)));
  return columns ? { used_by_others: columns } : {};
}

function columnsTold<Column>(trials: readonly (readonly Used[])[], columnOf: (figure: EfficiencyFigure) => Column) {
  const told = EFFICIENCY_FIGURES.filter((figure) => trials.some((all) => all.some((used) => used[figure] != null)));
  return told.length === 0 ? undefined : Object.fromEntries(told.map((figure) => [figure, columnOf(figure)]));
}
