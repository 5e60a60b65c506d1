import { dirname } from "node:path";
import { loadScenarioFile } from "../../comparison/scenario/load-scenario.ts";
import { plainText } from "../../domain/plain-text.ts";
import { Diagnoses } from "../doctor/diagnoses.ts";
import { diagnoseFile, diagnoseMachine } from "../doctor/doctor.ts";
import { withSeries } from "../operation/doctor.ts";
import { EXIT, unlessInterrupted } from "./exit-code.ts";
import { comparedBy } from "./flags/compared-by.ts";
import { UsageError } from "./flags/parse-arguments.ts";
import { type RunArguments, replacementOf } from "./flags/run-flags.ts";
import { sharedSettings } from "./flags/service-flags.ts";
import { demandFlagsOf } from "./flags/tool-flags.ts";
import { openServerServices, type ServerOptions } from "./services/server-services.ts";
import { isDumbTerminal } from "./services/services.ts";
import { type CheckedFile, doctorText } from "./terminal/doctor-text.ts";
import { cells } from "./terminal/lanes.ts";
import { isTerminal, jsonText, stdoutWidth, writeStdout } from "./terminal/terminal.ts";

/** `abeval check`: doctor for files. Returns the exit status. @throws UsageError */
export async function checkScenarios(args: RunArguments): Promise<number> {
  demandFlagsOf("check", args);
  return await unlessInterrupted(async (signal) => {
    const checked = await diagnoseAll(args, signal);
    const taken = await writeStdout(
      args.has("json") ? jsonText(checked.map(({ report }) => report)) : doctorText(checked, stdoutWidth()),
    );
    if (checked.some(({ report }) => !report.ok)) return EXIT.usage;
    return taken ? EXIT.done : EXIT.failed;
  });
}

/** Milliseconds for all commands of a scenario: enough for several slow setup steps, since the user sees what runs. */
const PATIENCE_MS = 30 * 60_000;

interface CheckingOptions extends Partial<Pick<ServerOptions, "notice">> {
  /** What is found is stored where the flags say. */
  readonly keeps?: boolean;
}

/** Services that run no arm; they keep nothing and say nothing unless they are told to. @throws UsageError */
export const openChecking = async (
  file: string,
  args: RunArguments,
  { keeps = false, notice = () => undefined }: CheckingOptions = {},
) =>
  await openServerServices({
    ...(await sharedSettings(args)),
    ...(!keeps && { state_dir: undefined, database: null }),
    server: false,
    scenarios_dir: dirname(file),
    web_dir: undefined,
    listen_host: undefined,
    git_fixtures: true,
    diagnoses: new Diagnoses(PATIENCE_MS),
    max_sessions: 1,
    max_queued: 0,
    notice,
  });

/** The machine is checked once. Every report holds its checks, as over HTTP. */
async function diagnoseAll(args: RunArguments, signal: AbortSignal): Promise<CheckedFile[]> {
  const series = seriesOf(args);
  const [first = ""] = args.parameters;
  await using services = await openChecking(first, args);
  using progress = checkProgress(!args.has("quiet"));
  const rehearse = args.has("rehearse");
  const announcing = (file: string) => ({
    ...services,
    rehearse,
    announce: (title: string) => progress.show(file, title),
  });
  const environment = await diagnoseMachine(announcing("this machine"), signal);
  const replacement = replacementOf(args);
  const checked: CheckedFile[] = [];
  for (const file of args.parameters) {
    const report = await diagnoseFile(announcing(file), { path: file, environment, replacement }, signal);
    checked.push({ file, report });
  }
  if (series === undefined) return checked;
  const reports = await withSeries(
    checked.map(({ report }) => report),
    args.parameters.map((path) => () => loadScenarioFile(path)),
    series,
  );
  return checked.map(({ file, report }, index) => ({ file, report: reports[index] ?? report }));
}

/** The series that is estimated; undefined where none is asked for. @throws UsageError */
function seriesOf(args: RunArguments) {
  const asked = { ...comparedBy(args), ...(args.has("best") && { contest: "best" as const }) };
  const trials = args.integer("trials");
  if (trials !== undefined) return { ...asked, trials };
  const isGiven = (one: (typeof OF_SERIES)[number]) => (one === "best" ? args.has(one) : args.given().includes(one));
  const flag = OF_SERIES.find(isGiven);
  if (flag === undefined) return undefined;
  throw new UsageError(`--${flag} says how --check estimates a series: give --trials, too`);
}

const OF_SERIES = ["cluster", "measure", "not-worse-by", "control", "best"] as const;

/** Shows the running check on one line of a terminal, and removes the line afterwards. */
interface CheckProgress extends Disposable {
  show(file: string, title: string): void;
}

const CLEAR = "\r\x1b[2K";

/** Shows nothing when stderr is no terminal. */
export function checkProgress(wanted: boolean): CheckProgress {
  if (!wanted || !isTerminal(2) || isDumbTerminal())
    return { show: () => undefined, [Symbol.dispose]: () => undefined };
  const write = (text: string) => void process.stderr.write(text);
  return {
    show: (file, title) => {
      const line = plainText(`${file}: ${title} ...`).replaceAll(/\s+/g, " ");
      write(`${CLEAR}${cells(line, (process.stderr.columns || 80) - 1)}`);
    },
    [Symbol.dispose]: () => write(CLEAR),
  };
}
