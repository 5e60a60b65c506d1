import { type Choice, readResults } from "../../comparison/table/read-results.ts";
import type { TableForm } from "../../comparison/table/table-rows.ts";
import { canonicalJson } from "../../domain/canonical-json.ts";
import { SCORE_TIE_MARGIN } from "../../domain/results.ts";
import type { Series } from "../../domain/series.ts";
import { ALPHA, MARGIN } from "../../domain/series-record.ts";
import { sha256 } from "../../domain/sha256.ts";
import { importedSeries } from "../../statistics/report.ts";

interface Comparing extends Choice {
  readonly tie_margin?: number | undefined;
  readonly margin?: number | undefined;
}

/** What the results of a table show. The same table and levels give the same series. @throws TableFault */
export async function seriesOfResults(text: string, form: TableForm, comparing: Comparing): Promise<Series> {
  const { tie_margin = SCORE_TIE_MARGIN, margin = MARGIN } = comparing;
  const results = { ...(await readResults(text, form, comparing)), tie_margin, levels: { alpha: ALPHA, margin } };
  return importedSeries(results, `results-${sha256(canonicalJson(results))}`);
}
