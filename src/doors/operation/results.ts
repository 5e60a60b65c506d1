import { type Choice, readResults } from "../../comparison/table/read-results.ts";
import { TableFault, type TableForm } from "../../comparison/table/table-rows.ts";
import { canonicalJson } from "../../domain/canonical-json.ts";
import { columnNamed } from "../../domain/columns.ts";
import { type Contest, isContest } from "../../domain/contest.ts";
import { MARGIN } from "../../domain/defaults.ts";
import { Failure } from "../../domain/failure.ts";
import { type ImportedResults, SCORE_TIE_MARGIN } from "../../domain/results.ts";
import type { Series } from "../../domain/series.ts";
import { seriesAnswerOf } from "../../domain/series-answer.ts";
import { ALPHA } from "../../domain/series-record.ts";
import { sha256 } from "../../domain/sha256.ts";
import { breathe, ownTurn } from "../../runtime/pace.ts";
import { importedContest } from "../../statistics/contest.ts";
import { importedSeries } from "../../statistics/report.ts";
import type { StoredSeries } from "../../store/series-rows.ts";
import type { Operation, Services } from "./operation.ts";

interface Comparing extends Choice {
  readonly tie_margin?: number | undefined;
  readonly margin?: number | undefined;
  readonly not_worse_by?: number | undefined;
  /** What the author of a change could have edited. Absent: nothing is known. */
  readonly inputs_from_checkout?: Series["inputs_from_checkout"];
}

/** Results of runs made elsewhere, and the series that they are. */
interface Compared {
  readonly series: Series | Contest;
  readonly results: ImportedResults;
  /** A digest of the table, whatever it was compared by. */
  readonly content: string;
}

/** What the results of a table show. The same table and levels give the same series. @throws TableFault */
export async function seriesOfResults(text: string, form: TableForm, comparing: Comparing): Promise<Compared> {
  const { tie_margin = SCORE_TIE_MARGIN, margin = MARGIN, not_worse_by, by, inputs_from_checkout } = comparing;
  const levels = { alpha: ALPHA, margin, ...(not_worse_by !== undefined && { not_worse_by }) };
  const results = { ...(await readResults(text, form, comparing)), tie_margin, levels };
  // The largest table takes some tenths of a second: one at a time.
  await ownTurn();
  // By what the scenarios can be grouped makes no other results of them.
  const { columns, ...compared } = results;
  const series_id = `results-${sha256(canonicalJson(compared))}`;
  await breathe();
  const { levels: _levels, tie_margin: _margin, ...table } = compared;
  const content = sha256(canonicalJson(table));
  await breathe();
  const known = { series_id, inputs_from_checkout };
  return { results, content, series: await reported(results, known, { by: columnOf(results, by) }) };
}

type Known = Parameters<typeof importedSeries>[1];

const reported = async (
  results: ImportedResults,
  known: Known,
  beside: NonNullable<Parameters<typeof importedSeries>[2]>,
): Promise<Series | Contest> =>
  results.contest
    ? await importedContest(results, results.contest, { ...known, ledger: beside.ledger })
    : await importedSeries(results, known, beside);

/** Stores the results, and gives their series as it is stored. @throws Failure `storage_full`, `storage_failed` */
export async function keepResults(
  { store, clock }: Pick<Services, "store" | "clock">,
  { series, results, content }: Compared,
): Promise<Series | Contest> {
  const { series_id, flags, inputs_from_checkout } = series;
  const kept = await store.series.keep({
    ...{ series_id, created_at: clock.now().toISOString(), state: "completed", results, content },
    standing: { ...standingOf(series), ...(flags.length > 0 && { flags }) },
    ...(inputs_from_checkout && { inputs_from_checkout }),
  });
  const { created_at } = kept;
  return { ...series, created_at, finished_at: created_at, ledger: await ledgerOf(store, kept) };
}

/** Lists say of a contest that it is one. */
function standingOf(series: Series | Contest) {
  if (isContest(series)) {
    const counted = series.trials.filter((trial) => trial.counted).length;
    return { conclusion: "undecided", win_rate: null, low: 0, high: 1, counted, answer: "not_known" } as const;
  }
  const { conclusion, undecided_by, headline, counts } = series;
  const { win_rate, low, high } = headline;
  const answer = seriesAnswerOf(series);
  return { conclusion, ...(undecided_by && { undecided_by }), win_rate, low, high, counted: counts.trials, answer };
}

/** A store that ends with the process has seen too little. */
export async function ledgerOf({ series, persistent }: Services["store"], stored: StoredSeries) {
  if (!persistent) return null;
  const { alpha } = "results" in stored ? stored.results.levels : stored.plan;
  const counts = await series.ledger(stored);
  return { ...counts, by_chance: counts.comparisons * alpha };
}

/** The series of stored results; undefined when they are unknown. @throws Failure `invalid_request` for a column that groups nothing */
export async function findResults(
  { store, version }: Pick<Services, "store" | "version">,
  series_id: string,
  by?: string,
) {
  const stored = await store.series.results(series_id);
  if (stored === undefined) return undefined;
  const { results } = stored;
  const beside = { by: columnOf(results, by), ledger: await ledgerOf(store, stored) };
  return {
    version: sha256(JSON.stringify([version, series_id, stored.created_at, results.columns, beside])).slice(0, 32),
    async report() {
      await ownTurn();
      return await reported(results, stored, beside);
    },
  };
}

const columnOf = ({ columns }: ImportedResults, by: string | undefined) =>
  by === undefined ? undefined : columnNamed(columns, by);

export const importResults: Operation<"importResults"> = async (services, { text, form, ...comparing }) => {
  try {
    return await keepResults(services, await seriesOfResults(text, form, comparing));
  } catch (error) {
    if (!(error instanceof TableFault)) throw error;
    const { line, column, choices, message } = error;
    const details = { line, ...(column !== undefined && { column }), ...(choices && { arms: [...choices] }) };
    const place = column === undefined ? `line ${line}` : `line ${line}, column ${column}`;
    throw new Failure("invalid_request", `${place}: ${message}`, { details, cause: error });
  }
};
