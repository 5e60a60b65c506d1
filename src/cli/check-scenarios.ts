import { dirname } from "node:path";
import { Failure } from "../domain/failure.ts";
import type { DoctorReport } from "../domain/health.ts";
import { plainJson } from "../domain/plain-text.ts";
import { examineFile, examineMachine } from "../session/doctor/doctor.ts";
import { UsageError } from "./arguments.ts";
import { checkProgress } from "./check-progress.ts";
import { readPrices } from "./cost-flags.ts";
import { doctorText } from "./doctor-text.ts";
import { EXIT } from "./exit-code.ts";
import { replacementOf } from "./replacement.ts";
import type { RunArguments } from "./run.ts";
import { SANDBOX_FLAGS, sandboxSettings } from "./sandbox-flags.ts";
import { openServerServices } from "./services.ts";
import { writeStdout } from "./stdout.ts";
import { isTerminal, stdoutWidth } from "./terminal.ts";

/** What goes with `--check`; the other flags are about arms that run. */
const FLAGS: readonly string[] = [
  ...["check", "json", "model", "judge-model", "prices"],
  ...Object.keys(SANDBOX_FLAGS),
  ...["quiet", "no-color"],
];

/** One file as it was named, with what was found. */
export interface CheckedFile {
  readonly file: string;
  readonly report: DoctorReport;
}

/** `abeval run --check`: doctor for files. Returns the exit status. @throws UsageError */
export async function checkScenarios(args: RunArguments): Promise<number> {
  const stray = args.given().find((flag) => !FLAGS.includes(flag));
  if (stray === "new") throw new UsageError("--check does not go with --new, which checks what it writes");
  if (stray === "from") throw new UsageError("--from goes with --new, which writes a scenario");
  if (stray !== undefined) throw new UsageError(`--${stray} does not go with --check, which runs no arm`);
  return await unlessInterrupted(async (signal) => {
    const checked = await examineAll(args, signal);
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

/** Services that only check. @throws UsageError */
export const openChecking = async (file: string, args: RunArguments) =>
  await openServerServices({
    state_dir: undefined,
    scenarios_dir: dirname(file),
    web_dir: undefined,
    listen_host: undefined,
    sandbox: sandboxSettings(args),
    prices: await readPrices(args),
    keep_workspaces: false,
    git_fixtures: true,
    max_sessions: 1,
    max_queued: 0,
    notice: () => undefined,
  });

/** The machine is looked at once, and its checks stand in every report, as they do over HTTP. */
async function examineAll(args: RunArguments, signal: AbortSignal): Promise<CheckedFile[]> {
  const [first = ""] = args.parameters;
  using services = await openChecking(first, args);
  using progress = checkProgress(!args.has("quiet"));
  const announcing = (file: string) => ({ ...services, announce: (title: string) => progress.show(file, title) });
  const environment = await examineMachine(announcing("this machine"), signal);
  const replacement = replacementOf(args);
  const checked: CheckedFile[] = [];
  for (const file of args.parameters)
    checked.push({
      file,
      report: await examineFile(announcing(file), { path: file, environment, replacement }, signal),
    });
  return checked;
}

function reportsAsJson(checked: readonly CheckedFile[]): string {
  const reports = checked.map(({ report }) => report);
  return `${plainJson(JSON.stringify(reports, null, isTerminal(1) ? 2 : 0))}\n`;
}
