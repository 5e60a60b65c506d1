import { accessSync, constants, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { Credentials } from "../../../arms/model/credentials.ts";
import {
  MAX_PROVIDER_CALLS,
  modelResolver,
  type ProviderStatus,
  providerStatuses,
} from "../../../arms/model/resolve-model.ts";
import { upstreams } from "../../../arms/model/upstream.ts";
import { THIS_HOST } from "../../../arms/sandbox/host.ts";
import { Sandboxes } from "../../../arms/sandbox/sandboxes.ts";
import { sweepTempDirs } from "../../../arms/sandbox/temp-dir.ts";
import { Register } from "../../../comparison/planning/register.ts";
import type { SessionServices } from "../../../comparison/planning/services.ts";
import { errorCode } from "../../../domain/failure.ts";
import { plainText } from "../../../domain/plain-text.ts";
import type { PriceList } from "../../../domain/price-list.ts";
import { SANDBOX_MODES, type SandboxMode } from "../../../domain/session.ts";
import { loopClock, systemClock, systemEntropy } from "../../../runtime/clock.ts";
import { ON_BUN } from "../../../runtime/on-bun.ts";
import { Semaphore } from "../../../runtime/semaphore.ts";
import { version } from "../../../runtime/version.ts";
import { UsageError } from "../flags/arguments.ts";
import { type DatabaseSettings, databasePlace } from "../flags/database-flags.ts";
import { openRecordingDirectory, type RecordingSettings, recordingSettings } from "../flags/recording-flags.ts";
import type { RunArguments } from "../flags/run-arguments.ts";
import { agentsDirectory, readableDirectories, type SandboxSettings } from "../flags/sandbox-flags.ts";
import { sharedSettings } from "../flags/service-flags.ts";
import { isStdoutClosed } from "../terminal/terminal.ts";
import { type OpenedStore, openStore } from "./open-store.ts";

/** Of a session, and judges read in two orders. */
const ARMS = 2;

/** Provider calls at once for each running session: one for each arm, whatever the other asks for, and two to spare. */
const CALLS_PER_SESSION = 4;

export interface ServiceOptions {
  readonly sandbox: SandboxSettings;
  /** Directories that commands must never see. */
  readonly state_dir: string | undefined;
  /** Null: in no database, whatever the environment says. */
  readonly database: DatabaseSettings | null;
  readonly scenarios_dirs: readonly string[];
  /** As given; absent: ABEVAL_AGENTS_DIR decides. */
  readonly agents_dir: string | undefined;
  readonly prices: PriceList;
  readonly recordings: RecordingSettings;
  readonly max_cost_per_day_usd?: number | undefined;
  readonly keep_workspaces: boolean;
  /** Sessions at once, and how many may wait. */
  readonly max_sessions: number;
  readonly max_queued: number;
  /** Absent: in proportion to `max_sessions`. */
  readonly max_provider_calls?: number | undefined;
  readonly notice: (line: string) => void;
}

/** Everything but the store, which is opened when nothing can be refused any more. */
export interface PreparedServices extends Omit<SessionServices, "store"> {
  /** Which providers can be called; no secret in it. */
  readonly providers: () => readonly ProviderStatus[];
  readonly in_database: boolean;
  /** @throws Failure `storage_failed` or `storage_full`, UsageError */
  readonly openStore: () => Promise<OpenedStore>;
}

/** Makes values of flags and environment. Nothing else reads the environment. Writes nothing. @throws UsageError */
export async function openServices(options: ServiceOptions): Promise<PreparedServices> {
  demandTemporaryDirectory(tmpdir());
  const { environment, credentials } = await readOutside(options.notice);
  void sweepTempDirs(systemClock.now());
  const sandboxing = sandboxingOf(environment, options);
  const database = databasePlace(environment, options.database, options.state_dir);
  const calls = Math.min(options.max_provider_calls ?? CALLS_PER_SESSION * options.max_sessions, MAX_PROVIDER_CALLS);
  const redact = credentials.redactSecrets;
  const recording = { clock: loopClock, entropy: systemEntropy, redact, version };
  const recordings = await openRecordingDirectory(environment["ABEVAL_CASSETTES"], options.recordings, recording);
  const models = {
    ...{ credentials, clock: loopClock, limiter: new Semaphore(calls, undefined, ARMS * options.max_sessions) },
    replay_only: recordings?.mode === "replay",
  };
  return {
    clock: systemClock,
    arm_clock: loopClock,
    entropy: systemEntropy,
    runs: new Register(),
    series: new Register(),
    slots: new Semaphore(options.max_sessions, options.max_queued),
    providers: () => providerStatuses(credentials),
    resolveModel: modelResolver(models),
    openUpstream: upstreams(models),
    recordings,
    redact,
    ...sandboxing,
    judge_model: environment["ABEVAL_JUDGE_MODEL"] || undefined,
    prices: options.prices,
    max_cost_per_day_usd: options.max_cost_per_day_usd,
    keep_workspaces: options.keep_workspaces,
    notice: options.notice,
    version,
    in_database: database !== undefined,
    openStore: () => openStore({ state_dir: options.state_dir, database }),
  };
}

/** Workspaces are made there. @throws UsageError */
function demandTemporaryDirectory(path: string): void {
  const fault = temporaryFault(path);
  if (fault !== undefined)
    throw new UsageError(
      `the directory for temporary files, ${path}, ${fault}: make it, or set TMPDIR to one that you may write to`,
    );
}

function temporaryFault(path: string): string | undefined {
  try {
    if (!statSync(path).isDirectory()) return "is not a directory";
    accessSync(path, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return errorCode(error) === "ENOENT" ? "does not exist" : `cannot be written to (${errorCode(error)})`;
  }
}

/** Where commands and the agents of others run, and what they may read there. @throws UsageError */
function sandboxingOf(environment: Environment, options: ServiceOptions) {
  const { mode, read, accept_host_network } = options.sandbox;
  const sandbox = sandboxMode(mode ?? environment["ABEVAL_SANDBOX"]);
  if (sandbox === "none" && read.length > 0)
    options.notice("--sandbox-read has no effect without a sandbox: commands read whatever this user can");
  const places = { ...options, home: environment["HOME"] };
  const sandboxes = new Sandboxes({
    clock: loopClock,
    path: environment["PATH"] || THIS_HOST.path,
    executable: THIS_HOST.executable,
    read: readableDirectories(read, places),
    accept_host_network,
  });
  const agents_dir = agentsDirectory(options.agents_dir ?? environment["ABEVAL_AGENTS_DIR"], places);
  return { sandbox, sandboxes, agents_dir };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Removes keys from the environment, so that no command inherits one. */
async function readOutside(notice: ServiceOptions["notice"]) {
  const environment: Environment = { ...process.env };
  const credentials = new Credentials(environment);
  for (const name of credentials.secretNames) delete process.env[name];
  if (credentials.secretNames.length > 0) await seal(notice);
  return { environment, credentials };
}

/** Loads the foreign function interface only when there is a key to protect. */
async function seal(notice: ServiceOptions["notice"]): Promise<void> {
  if (ON_BUN) return (await import("./c-library.ts")).sealProcess();
  notice(
    "commands without a sandbox can read the keys that this process was started with; only on Bun can it hide them",
  );
}

function sandboxMode(mode: string | undefined): SandboxMode {
  const known = SANDBOX_MODES.find((name) => name === (mode || "auto"));
  if (known === undefined) throw new UsageError(`ABEVAL_SANDBOX: expected ${SANDBOX_MODES.join(", ")}, got "${mode}"`);
  return known;
}

/** Whether colours are wanted: a terminal, and neither NO_COLOR nor a dumb one. */
export const colourWanted = () => !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";

/** @throws UsageError where the result would be lost */
export function demandStdout(result: "verdict" | "series"): void {
  if (isStdoutClosed())
    throw new UsageError(`stdout is closed, and the ${result} goes there; send it to a file, or to /dev/null`);
}

/** The services of one `abeval run`, which end with it. @throws as `openServices` and `sharedSettings` do */
export async function openRun(
  args: RunArguments,
  places: Pick<ServiceOptions, "scenarios_dirs" | "max_sessions" | "max_queued">,
): Promise<PreparedServices> {
  // With --keep-workspaces the user must learn where they are, even with --quiet.
  const quiet = args.has("quiet") && !args.has("keep-workspaces");
  // The run goes on when stderr is closed or full.
  if (!args.has("quiet")) process.stderr.on("error", () => undefined);
  return await openServices({
    ...(await sharedSettings(args)),
    ...places,
    recordings: recordingSettings(args, args.value("record")),
    notice: (line) => quiet || process.stderr.write(`${plainText(line)}\n`),
  });
}
