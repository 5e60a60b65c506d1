import { dirname } from "node:path";
import { diagnoseFile, diagnoseMachine } from "../doctor/doctor.ts";
import { Failure } from "../domain/failure.ts";
import { plainJson, plainText } from "../domain/plain-text.ts";
import { withSeries } from "../operation/doctor.ts";
import { UsageError } from "./arguments.ts";
import { readPrices } from "./cost-flags.ts";
import { type CheckedFile, doctorText } from "./doctor-text.ts";
import { EXIT } from "./exit-code.ts";
import { cells } from "./lanes.ts";
import { type RunArguments, replacementOf } from "./run-arguments.ts";
import { SANDBOX_FLAGS, sandboxSettings } from "./sandbox-flags.ts";
import { openServerServices, type ServerOptions } from "./services.ts";
import { tapeSettings } from "./tape-flags.ts";
import { isTerminal, stdoutWidth, writeStdout } from "./terminal.ts";

/** Flags that may be given with `--check`. The others are about arms that run. */
const FLAGS: readonly string[] = [
  ...["check", "json", "model", "judge-model", "prices", "trials", "agents-dir", "replay", "live-judge"],
  ...Object.keys(SANDBOX_FLAGS),
  ...["quiet", "no-color"],
];

/** `abeval run --check`: doctor for files. Returns the exit status. @throws UsageError */
export async function checkScenarios(args: RunArguments): Promise<number> {
  const stray = args.given().find((flag) => !FLAGS.includes(flag));
  if (stray === "new") throw new UsageError("--check does not go with --new, which checks what it writes");
  if (stray === "from") throw new UsageError("--from goes with --new, which writes a scenario");
  if (stray !== undefined) throw new UsageError(`--${stray} does not go with --check, which runs no arm`);
  return await unlessInterrupted(async (signal) => {
    const checked = await diagnoseAll(args, signal);
    const taken = await writeStdout(args.has("json") ? reportsAsJson(checked) : doctorText(checked, stdoutWidth()));
    if (checked.some(({ report }) => !report.ok)) return EXIT.usage;
    return taken ? EXIT.done : EXIT.failed;
  });
}

/** Ctrl-C stops the commands of the checks and removes what they left. */
export async function unlessInterrupted(check: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const stopped = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.once(name, () => stopped.abort(new Failure("cancelled", "The check was interrupted.")));
  try {
    return await check(stopped.signal);
  } catch (error) {
    if (stopped.signal.aborted && error === stopped.signal.reason) return EXIT.interrupted;
    throw error;
  }
}

/** Services that run no arm; they keep nothing and say nothing unless `changes` says otherwise. @throws UsageError */
export const openChecking = async (
  file: string,
  args: RunArguments,
  changes: Partial<Pick<ServerOptions, "state_dir" | "database" | "notice">> = {},
) =>
  await openServerServices({
    state_dir: undefined,
    database: null,
    scenarios_dir: dirname(file),
    web_dir: undefined,
    listen_host: undefined,
    sandbox: sandboxSettings(args),
    agents_dir: args.value("agents-dir"),
    prices: await readPrices(args),
    tapes: tapeSettings(args),
    keep_workspaces: false,
    git_fixtures: true,
    max_sessions: 1,
    max_queued: 0,
    notice: () => undefined,
    ...changes,
  });

/** The machine is checked once. Every report holds its checks, as over HTTP. */
async function diagnoseAll(args: RunArguments, signal: AbortSignal): Promise<CheckedFile[]> {
  const [first = ""] = args.parameters;
  await using services = await openChecking(first, args);
  using progress = checkProgress(!args.has("quiet"));
  const announcing = (file: string) => ({ ...services, announce: (title: string) => progress.show(file, title) });
  const environment = await diagnoseMachine(announcing("this machine"), signal);
  const replacement = replacementOf(args);
  const checked: CheckedFile[] = [];
  for (const file of args.parameters) {
    const report = await diagnoseFile(announcing(file), { path: file, environment, replacement }, signal);
    checked.push({ file, report: await withSeries(report, args.integer("trials")) });
  }
  return checked;
}

function reportsAsJson(checked: readonly CheckedFile[]): string {
  const reports = checked.map(({ report }) => report);
  return `${plainJson(JSON.stringify(reports, null, isTerminal(1) ? 2 : 0))}\n`;
}

/** Shows the running check on one line of a terminal, and removes the line afterwards. */
interface CheckProgress extends Disposable {
  show(file: string, title: string): void;
}

const CLEAR = "\r\x1b[2K";

/** Shows nothing when stderr is no terminal. */
export function checkProgress(wanted: boolean): CheckProgress {
  if (!wanted || !isTerminal(2)) return { show: () => undefined, [Symbol.dispose]: () => undefined };
  const write = (text: string) => void process.stderr.write(text);
  return {
    show: (file, title) => {
      const line = plainText(`${file}: ${title} ...`).replaceAll(/\s+/g, " ");
      write(`${CLEAR}${cells(line, (process.stderr.columns || 80) - 1)}`);
    },
    [Symbol.dispose]: () => write(CLEAR),
  };
}
