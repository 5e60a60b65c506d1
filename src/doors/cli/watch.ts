import { openCatalog } from "../../comparison/scenario/scenario-catalog.ts";
import { openSeries } from "../../comparison/session/open-series.ts";
import { afterNight, nextNight, nightNotices, openWatch } from "../../comparison/session/watch.ts";
import { plainText } from "../../domain/plain-text.ts";
import { MAX_PARALLEL } from "../../domain/series-record.ts";
import { ONE_IN, type WatchReport } from "../../domain/watch.ts";
import { complain, EXIT, exitCodeOfCommand } from "./exit-code.ts";
import { CONFIG_FLAGS, configuredArguments } from "./flags/configured.ts";
import { type CommandSpec, type ParsedArguments, UsageError } from "./flags/parse-arguments.ts";
import { NOTIFY_FLAGS, SHARED_FLAGS } from "./flags/service-flags.ts";
import { openNotify } from "./reports/notify.ts";
import { untilDone } from "./run-series.ts";
import { demandStdout, demandStoredSessions, openRun, type PreparedServices } from "./services/services.ts";
import { jsonText, writeStdout } from "./terminal/terminal.ts";

export const WATCH = {
  name: "abeval watch",
  usage: "abeval watch <series_id> [--arm <arm_id>] [flags]",
  description:
    "Runs one arm of a stored series once more, one round of its scenarios, and says whether it got worse since: for a nightly job.\n" +
    "Each trial is compared with a stored run of the other arm, so only one arm costs money. All nights count together; they are kept\n" +
    "where the series is. Our own changes are no matter of a watch: an arm that is set up differently is refused. Only falls alarm.\n" +
    "Prints the night as JSON on stdout. Exit status: 0 a quiet night; 5 an alarm; 1 the night failed; 2 wrong use, a reference that\n" +
    "is gone or says too little (nothing was spent); 3 no trial gave a result; 130 interrupted.",
  examples: [
    "abeval watch series-20261120T030000000Z-1a2b3c4d --state-dir .abeval",
    "ABEVAL_NOTIFY_URL=... abeval watch series-20261120T030000000Z-1a2b3c4d --arm candidate --state-dir .abeval --quiet",
  ],
  parameters: ["series_id"],
  flags: {
    arm: { value: "<arm_id>", description: "the arm that runs (default: the candidate)" },
    "one-in": {
      value: "<nights>",
      range: { min: 20, max: 1_000_000 },
      description: `alarm falsely once in about so many quiet nights, or less often (default ${ONE_IN})`,
    },
    "scenarios-dir": {
      value: "<path>",
      description:
        "find scenarios that have files of their own here (default ./scenarios); others are read from the store",
    },
    parallel: {
      value: "<k>",
      range: { min: 1, max: MAX_PARALLEL },
      description: "run this many trials at once (default 1)",
    },
    "max-cost": { value: "<usd>", usd: true, description: "limit what the night costs; needs prices" },
    ...NOTIFY_FLAGS,
    ...SHARED_FLAGS,
    ...CONFIG_FLAGS,
    quiet: { description: "print only errors on stderr" },
  },
} as const satisfies CommandSpec<string>;

type Arguments = ParsedArguments<keyof typeof WATCH.flags>;

/** `abeval watch`: stdout holds the night and nothing else. Returns the exit status. */
export const command = (args: readonly string[]): Promise<number> =>
  exitCodeOfCommand(WATCH.name, async () => await watchNight(await configuredArguments(WATCH, args)));

async function watchNight(args: Arguments): Promise<number> {
  const { value, integer, usd, has } = args;
  const [series_id = ""] = args.parameters;
  demandStdout("night");
  const scenarios_dir = value("scenarios-dir") ?? "scenarios";
  const prepared = await openRun(args, {
    scenarios_dirs: [scenarios_dir],
    max_sessions: integer("parallel") ?? 1,
    max_queued: MAX_PARALLEL,
  });
  const tell = openNotify(args, prepared);
  demandPlace(args, prepared);
  if (prepared.replayed_from !== undefined)
    throw new UsageError("a watch does not replay: recordings never change; leave out --replay and ABEVAL_CASSETTES");
  await using opened = await prepared.openStore();
  // The night runs here: the stored runs that it takes are drawn for it alone.
  const services = { ...prepared, store: opened.store };
  const one_in = integer("one-in") ?? ONE_IN;
  const watch = await openWatch(opened.store, series_id, { arm: value("arm"), one_in });
  const { source, options } = await nextNight(opened.store, watch, openCatalog(scenarios_dir, { git_fixtures: true }));
  for (const line of nightNotices(watch, { one_in, now: prepared.clock.now() })) prepared.notice(line);
  const [parallel, max_cost_usd] = [integer("parallel"), usd("max-cost")];
  const started = await openSeries(services, source, {
    ...options,
    ...(parallel !== undefined && { parallel }),
    ...(max_cost_usd !== undefined && { max_cost_usd }),
  });
  const record = await untilDone(started, services);
  const report = await afterNight(opened.store, watch, { record, one_in });
  const written = await writeStdout(jsonText(report));
  if (!has("quiet")) process.stderr.write(plainText(`${report.statement}\n`));
  await tell(record.series_id, `abeval watch: ${report.statement}`);
  const status = statusOf(report);
  if (record.failure !== null) return complain(record.failure, status);
  return written || status !== EXIT.done ? status : EXIT.failed;
}

/** @throws UsageError where no nights are kept */
function demandPlace({ value }: Arguments, { in_database }: PreparedServices): void {
  if (in_database) return;
  const state_dir = value("state-dir");
  if (state_dir === undefined)
    throw new UsageError("a watch needs --state-dir or --database-url, where the series and its nights are kept");
  demandStoredSessions(state_dir);
}

function statusOf({ state, alarm, missing, trials }: WatchReport): number {
  if (state === "cancelled" || state === "interrupted") return EXIT.interrupted;
  if (state !== "completed") return EXIT.failed;
  if (missing === trials) return EXIT.invalid;
  return alarm ? EXIT.alarm : EXIT.done;
}
