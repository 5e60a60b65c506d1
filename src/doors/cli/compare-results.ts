import { extname, resolve } from "node:path";
import { readDigested } from "../../comparison/scenario/read-text.ts";
import { Unusable } from "../../comparison/scenario/unusable.ts";
import { TABLE_BYTES, TableFault, type TableForm } from "../../comparison/table/table-rows.ts";
import type { Contest } from "../../domain/contest.ts";
import { demandPinned, type PinnedFile, pinnedFile } from "../../domain/pinned-file.ts";
import type { Series } from "../../domain/series.ts";
import { keepResults, seriesOfResults } from "../operation/results.ts";
import { complain, EXIT } from "./exit-code.ts";
import { marginOf, notWorseByOf, UsageError } from "./flags/parse-arguments.ts";
import type { RunArguments } from "./flags/run-flags.ts";
import { demandFlagsOf } from "./flags/tool-flags.ts";
import { formsOf } from "./reports/forms.ts";
import { deliver, openReports } from "./reports/reports.ts";
import { checkoutInputs } from "./services/checkout-inputs.ts";
import { demandStdout, openRun, type PreparedServices } from "./services/services.ts";
import { Painter } from "./terminal/paint.ts";
import { inPlaceOfJson } from "./terminal/series-text.ts";

/** `abeval results`: stdout holds the series of a table that was made elsewhere, as `runSeries` prints it. Returns the exit status. */
export async function compareResults(args: RunArguments): Promise<number> {
  const { parameters, value, has } = args;
  demandFlagsOf("results", args);
  demandStdout("series");
  const [named = "", ...others] = parameters;
  const table = pinnedFile(named);
  const { path: file } = table;
  const arms = armsIn(value("arms"), others);
  const form = formOf(file);
  const choice = {
    arms,
    best: has("best"),
    fdr: has("fdr"),
    control: value("control"),
    tie_margin: tieMarginOf(value("tie-margin")),
    margin: marginOf(value("margin")),
    not_worse_by: notWorseByOf(value("not-worse-by")),
    by: value("by"),
    cluster: value("cluster"),
  };
  const reports = openReports(args, []);
  try {
    const prepared = await openRun(args, { scenarios_dirs: [], max_sessions: 1, max_queued: 0 });
    const { text, inputs_from_checkout } = await readTable(args, prepared, table);
    const compared = await seriesOfResults(text, form, { ...choice, inputs_from_checkout });
    const series = await kept(prepared, compared);
    const painter = new Painter(!has("no-color"));
    const { summary, ...forms } = formsOf(series, { painter, again: null });
    const delivered = await deliver(series, reports, { shown: inPlaceOfJson(summary, args, painter), ...forms });
    if (!has("quiet")) process.stderr.write(summary);
    return delivered ? EXIT.done : EXIT.failed;
  } catch (error) {
    if (error instanceof Unusable) return complain(`${file}: ${error.message}`, EXIT.usage);
    if (error instanceof TableFault) return complain(`${placeIn(file, error)}: ${error.message}`, EXIT.usage);
    throw error;
  }
}

/** Arms behind the first may stand as words of their own. @throws UsageError */
function armsIn(first: string | undefined, others: readonly string[]): string | undefined {
  const [other] = others;
  if (first === undefined && other !== undefined)
    throw new UsageError(`--results takes one table; leave out ${other}, or join them`);
  const table = others.find((one) => FORMS.has(extname(one).toLowerCase()));
  if (table !== undefined) throw new UsageError(`--results takes one table; leave out ${table}, or join them`);
  return first === undefined ? undefined : [first, ...others].join(",");
}

/** The text of a table, and whether the author of a change could have edited it. @throws Unusable, Failure `invalid_request` */
async function readTable(args: RunArguments, prepared: PreparedServices, table: PinnedFile) {
  const { path, sha256 } = table;
  const { text, digest } = await readDigested(resolve(path), TABLE_BYTES);
  demandPinned(table, digest);
  const pinned = sha256 === undefined ? {} : { pinned: true as const };
  const results = { input: "results", path, sha256: digest, ...pinned } as const;
  return { text, inputs_from_checkout: await checkoutInputs(args, prepared, { results }) };
}

type Compared = Awaited<ReturnType<typeof seriesOfResults>>;

/** The series, stored where a place is named. */
async function kept(prepared: PreparedServices, compared: Compared): Promise<Series | Contest> {
  await using opened = await prepared.openStore();
  return opened.store.persistent ? await keepResults({ ...prepared, store: opened.store }, compared) : compared.series;
}

/** @throws UsageError */
function formOf(file: string): TableForm {
  const form = FORMS.get(extname(file).toLowerCase());
  if (form === undefined) throw new UsageError(`${file}: a table of results ends in .csv or .jsonl`);
  return form;
}

const FORMS: ReadonlyMap<string, TableForm> = new Map([
  [".csv", "csv"],
  [".jsonl", "jsonl"],
  [".ndjson", "jsonl"],
]);

const placeIn = (file: string, { line, column }: TableFault) => [file, line, ...(column ? [column] : [])].join(":");

/** @throws UsageError */
function tieMarginOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^0?(\.\d{1,9})?$/.test(text) && text !== "") return Number(text);
  throw new UsageError(`--tie-margin: expected a number from 0 to below 1, such as 0.05, got "${text}"`);
}
