import { Failure } from "../domain/failure.ts";
import { plainJson, plainText } from "../domain/plain-text.ts";
import type { SessionOutcome } from "../domain/session.ts";
import { loadScenarioFile } from "../scenario/load-scenario.ts";
import { prepareSession } from "../session/prepare-session.ts";
import { type StartedSession, startSession } from "../session/start-session.ts";
import type { LiveRuns } from "../stream/live-runs.ts";
import { type CommandSpec, type ParsedArguments, parseArguments, UsageError } from "./arguments.ts";
import { readPrices } from "./cost-flags.ts";
import { EXIT, exitCodeBeforeStart, exitCodeOf } from "./exit-code.ts";
import { Painter } from "./paint.ts";
import { openProgress } from "./progress.ts";
import { replacementOf } from "./replacement.ts";
import { openReports, type Report } from "./reports.ts";
import { sandboxSettings } from "./sandbox-flags.ts";
import { openServices, openStore, SHARED_FLAGS } from "./services.ts";
import { isStdoutClosed, writeStdout } from "./stdout.ts";
import { summarise } from "./summary.ts";
import { isTerminal } from "./terminal.ts";

const SPEC = {
  name: "abeval run",
  usage: "abeval run <scenario_file> [flags]",
  variadic: true,
  description:
    "Runs both arms of a scenario, judges them blind and in both orders, and prints the verdict as JSON on stdout.\n" +
    "Exit status: 0 a verdict, whoever won; 1 the run failed; 2 wrong use, scenario, key or sandbox (nothing was spent);\n" +
    "3 the judge gave no usable answer; 130 interrupted. With --check and --new: 0 ready, 2 not.\n" +
    "Keys: ANTHROPIC_API_KEY, OPENAI_API_KEY, <PROVIDER>_API_KEY; <NAME>_BASE_URL leads provider <name> to a gateway,\n" +
    "<NAME>_HEADERS (a JSON object, or lines of `name: value`) are sent with each of its calls and kept like a key.\n" +
    "The judge without a flag: the scenario's own, then ABEVAL_JUDGE_MODEL, then anthropic/claude-fable-5-2.",
  examples: [
    "abeval run scenarios/pager-last-page.yaml",
    "abeval run scenarios/pager-last-page.yaml --model openai/gpt-5 --judge-model builtin/evidence",
    "abeval run my.yaml --state-dir .abeval --out verdict.json --quiet",
    "abeval run --check scenarios/*.yaml",
    "abeval run --new evals/off-by-one.yaml --from 4f1c2ab",
  ],
  parameters: ["scenario_file"],
  flags: {
    model: { value: "<provider>/<model>", description: "use this model in both arms" },
    "judge-model": { value: "<model>", description: "the judge; builtin/evidence judges without a model" },
    out: { value: "<path>", description: "also write the verdict to this file" },
    junit: { value: "<path>", description: "write the verdict and every hidden check as JUnit XML" },
    markdown: { value: "<path>", description: "write a summary for a pull request" },
    "max-cost": {
      value: "<usd>",
      usd: true,
      description: "the most that both arms and the judge may cost together; needs prices",
    },
    ...SHARED_FLAGS,
    quiet: { description: "nothing on stderr but errors, and where --keep-workspaces left the files" },
    "no-color": { description: "no colours on stderr" },
    new: { description: "with --from: write this scenario file, made of a commit that fixed something" },
    from: { value: "<commit>", description: "with --new: the commit; its parent is where the arms start" },
    check: {
      description: "try one or more files without the arms, and say what to mend; calls no model, needs no key",
    },
    json: { description: "with --check: the reports as a JSON array, one for each file" },
  },
} as const satisfies CommandSpec<string>;

/** `abeval run`: stdout holds the verdict and nothing else. Returns the exit status. */
export async function command(args: readonly string[]): Promise<number> {
  try {
    return await run(args);
  } catch (error) {
    if (error instanceof UsageError) return complain(`${error.message}\nSee: abeval run --help`, EXIT.usage);
    if (error instanceof Failure) return complain(error.message, exitCodeBeforeStart(error.code));
    throw error;
  }
}

export type RunArguments = ParsedArguments<keyof typeof SPEC.flags>;

async function run(args: readonly string[]): Promise<number> {
  const parsed = await parseArguments(SPEC, args);
  if (parsed.has("check")) return await (await import("./check-scenarios.ts")).checkScenarios(parsed);
  if (parsed.has("new")) return await (await import("./new-scenario.ts")).newScenario(parsed);
  if (parsed.value("from") !== undefined) throw new UsageError("--from goes with --new, which writes a scenario");
  if (parsed.has("json")) throw new UsageError("--json goes with --check; a verdict is JSON anyway");
  const [, extra] = parsed.parameters;
  if (extra !== undefined) throw new UsageError(`unexpected "${extra}"; usage: ${SPEC.usage}`);
  return await runOne(parsed);
}

async function runOne(args: RunArguments): Promise<number> {
  const { parameters, value, usd, has } = args;
  const max_cost_usd = usd("max-cost");
  if (isStdoutClosed())
    throw new UsageError("stdout is closed, and the verdict goes there; send it to a file, or to /dev/null");
  // Whoever asked for the workspaces must learn where they are.
  const quiet = has("quiet") && !has("keep-workspaces");
  const notice = (line: string) => quiet || process.stderr.write(`${plainText(line)}\n`);
  // Nobody has to read along: the run goes on when stderr is closed or full.
  if (!has("quiet")) process.stderr.on("error", () => undefined);
  const scenario = parameters[0] ?? "";
  const consulted = new Set<string>();
  const loaded = await loadScenarioFile(scenario, consulted);
  const prepared = openServices({
    sandbox: sandboxSettings(args),
    state_dir: value("state-dir"),
    scenarios_dir: loaded.directory,
    prices: await readPrices(args),
    keep_workspaces: has("keep-workspaces"),
    max_sessions: 1,
    max_queued: 0,
    notice,
  });
  const plan = await prepareSession(prepared, loaded, {
    ...replacementOf(args),
    ...(max_cost_usd !== undefined && { max_cost_usd }),
  });
  const reports = openReports(value, {
    ...{ scenario, consulted },
    ...{ prices: value("prices"), state_dir: value("state-dir") },
  });
  using store = await openStore(value("state-dir"));
  const services = { ...prepared, store };
  const painter = new Painter(!has("no-color"));
  const progress = has("quiet") ? undefined : openProgress(plan.scenario, painter, services.clock);
  const session = await startSession(services, plan);
  const live = services.live.get(session.session_id);
  const followed = live && progress?.follow(live);
  const outcome = await untilDone(session, services.live);
  await followed;
  const status = await deliver(outcome, reports);
  if (!has("quiet")) process.stderr.write(summarise(outcome, painter));
  if (outcome.failure) return complain(failureText(outcome, store.persistent), status);
  return status;
}

/** What went wrong, and what is left of what was paid for. */
function failureText({ failure, session_id, arms }: SessionOutcome, persistent: boolean): string {
  const text = `${failure?.message} (stage ${failure?.stage}, ${failure?.code})`;
  if (failure?.stage !== "judging" || arms.some(({ changes }) => changes === null)) return text;
  if (failure.code === "storage_full" || failure.code === "storage_failed") return text;
  if (!persistent) return `${text}\nThe arms' work is gone with this process; --state-dir would have kept it.`;
  return `${text}\nBoth arms are kept in ${session_id}: judge them again with POST /api/verdicts or the MCP tool rejudge.`;
}

/** The first Ctrl-C stops the arms and saves what there is; the second ends the process. */
async function untilDone({ session_id, done }: StartedSession, live: LiveRuns): Promise<SessionOutcome> {
  const stop = () => {
    process.once("SIGINT", () => process.exit(EXIT.interrupted));
    process.once("SIGTERM", () => process.exit(EXIT.terminated));
    live.get(session_id)?.cancel(new Failure("cancelled", "The run was interrupted."));
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  return await done;
}

/** stdout first: whatever becomes of the files, the verdict has been paid for. */
async function deliver(outcome: SessionOutcome, reports: readonly Report[]): Promise<number> {
  const { verdict } = outcome;
  const text = verdict && `${plainJson(JSON.stringify(verdict, null, isTerminal(1) ? 2 : 0))}\n`;
  const taken = text === null || (await writeStdout(text));
  const problems = reports.flatMap(({ file, render }) => {
    const content = render(outcome, text);
    return (content !== null && file.write(content)) || [];
  });
  for (const problem of problems) complain(problem, EXIT.failed);
  const status = exitCodeOf(outcome);
  return outcome.failure !== null || (taken && problems.length === 0) ? status : EXIT.failed;
}

function complain(message: string, status: number): number {
  process.stderr.write(`abeval: ${plainText(message)}\n`);
  return status;
}
