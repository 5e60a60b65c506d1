import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { blessedLines } from "../../comparison/session/baseline.ts";
import { Failure, wordsOf } from "../../domain/failure.ts";
import { preferredSide } from "../../domain/series-status.ts";
import { EXIT } from "./exit-code.ts";
import { UsageError } from "./flags/parse-arguments.ts";
import type { RunArguments } from "./flags/run-flags.ts";
import { demandFlagsOf } from "./flags/tool-flags.ts";
import { openRun } from "./services/services.ts";

const PREFERRED =
  "  This series prefers an arm, so nothing will be concluded on its runs (flag baseline_selected). Bless a series that prefers none, such as one made with --aa <arm_id>.\n";

/**
 * `abeval bless <series_id> --out <file>`: a stored series as one file, which later series take as their baseline.
 * Returns the exit status. @throws UsageError or Failure; then there is no new file
 */
export async function blessSeries(args: RunArguments): Promise<number> {
  demandFlagsOf("bless", args);
  const [series_id = "", extra] = args.parameters;
  if (extra !== undefined) throw new UsageError(`unexpected "${extra}"; --bless takes one series id`);
  const out = args.value("out");
  if (out === undefined) throw new UsageError("--bless needs --out <file>, which it writes");
  const prepared = await openRun(args, { scenarios_dirs: [], max_sessions: 1, max_queued: 0 });
  await using opened = await prepared.openStore();
  const part = `${out}.part`;
  try {
    const lines = blessedLines({ store: opened.store, redact: prepared.redact }, series_id);
    await pipeline(Readable.from(lines), createWriteStream(part));
    await rename(part, out);
  } catch (error) {
    await rm(part, { force: true });
    throw error instanceof Failure
      ? error
      : new Failure("invalid_request", `--out ${out}: ${wordsOf(error)}`, { cause: error });
  }
  const preferred = preferredSide((await opened.store.series.read(series_id))?.standing.conclusion ?? "undecided");
  if (!args.has("quiet"))
    process.stderr.write(
      `${out}: the runs of ${series_id}; compare with --baseline ${out}\n${preferred === undefined ? "" : PREFERRED}`,
    );
  return EXIT.done;
}
