import { existsSync, rmdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ProviderStatus, providerStatuses } from "../../../arms/model/check-model.ts";
import { Credentials } from "../../../arms/model/credentials.ts";
import { splitModelRef } from "../../../arms/model/model-ref.ts";
import { MAX_PROVIDER_CALLS, modelResolver } from "../../../arms/model/resolve-model.ts";
import { upstreams } from "../../../arms/model/upstream.ts";
import { makeTempDir, sweepTempDirs } from "../../../arms/sandbox/temp-dir.ts";
import { PROCESS_LOST, Register, type SessionServices } from "../../../comparison/planning/services.ts";
import { errorCode } from "../../../domain/failure.ts";
import { plainText } from "../../../domain/plain-text.ts";
import type { Price } from "../../../domain/price-list.ts";
import { refuseShortage } from "../../../domain/shortage.ts";
import { loopClock, systemClock, systemEntropy } from "../../../runtime/clock.ts";
import { ON_BUN } from "../../../runtime/on-bun.ts";
import { Semaphore } from "../../../runtime/semaphore.ts";
import { version } from "../../../runtime/version.ts";
import type { HearLost } from "../../../store/store.ts";
import { type ParsedArguments, UsageError } from "../flags/parse-arguments.ts";
import { databaseSettings, type SHARED_FLAGS, type SharedSettings, sharedSettings } from "../flags/service-flags.ts";
import { isStdoutClosed } from "../terminal/terminal.ts";
import { endpointsOf } from "./endpoints.ts";
import { databasePlace, type OpenedStore, openStore } from "./open-store.ts";
import { openRecordingDirectory, type RecordingSettings } from "./recordings.ts";
import { sandboxingOf } from "./sandboxing.ts";

/** A session has two arms, and its judge reads in two orders. */
const ARMS = 2;

/** Provider calls at once for each running session: one for each arm, whatever the other asks for, and two to spare. */
const CALLS_PER_SESSION = 4;

export interface ServiceOptions extends Readonly<Omit<SharedSettings, "database" | "recordings">> {
  /** Others ask for what it runs. */
  readonly server: boolean;
  /** Null: in no database, whatever the environment says. */
  readonly database: SharedSettings["database"] | null;
  readonly recordings: RecordingSettings;
  /** Directories that commands must never see, as they must not see `state_dir`. */
  readonly scenarios_dirs: readonly string[];
  readonly max_cost_per_day_usd?: number | undefined;
  /** The owner of runs that this process goes on with. Absent: what a dead process left ends. */
  readonly after?: string | undefined;
  /** Sessions at once, and how many may wait. */
  readonly max_sessions: number;
  readonly max_queued: number;
  /** Absent: in proportion to `max_sessions`. */
  readonly max_provider_calls?: number | undefined;
  readonly notice: (line: string) => void;
  readonly news?: SessionServices["news"];
  readonly spent?: SessionServices["spent"];
}

/** Everything but the store, which is opened when nothing can be refused any more. */
export interface PreparedServices extends Omit<SessionServices, "store"> {
  /** Which providers can be called; no secret in it. */
  readonly providers: () => readonly ProviderStatus[];
  readonly in_database: boolean;
  /** Started by a pipeline, which may have checked out what a stranger wrote. */
  readonly in_ci: boolean;
  /** The directory of recordings that are replayed; absent: none are. */
  readonly replayed_from: string | undefined;
  /** What is sent along to the endpoint of --otel; it may hold a key. */
  readonly otlp_headers: Readonly<Record<string, string>>;
  /** Where results are posted, from the environment; a secret. */
  readonly notify_url: string | undefined;
  /** The page of the pipeline's job that runs this; undefined where none is known. */
  readonly job_url: string | undefined;
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
    endpoints: endpointsOf(options, credentials),
    ...sandboxing,
    judge_model: environment["ABEVAL_JUDGE_MODEL"] || undefined,
    prices: options.prices,
    list_price: (model) => listPriceOf(credentials, model),
    max_cost_per_day_usd: options.max_cost_per_day_usd,
    keep_workspaces: options.keep_workspaces,
    notice: options.notice,
    news: options.news,
    spent: options.spent,
    version,
    in_database: database !== undefined,
    in_ci: isCi(environment["CI"]),
    replayed_from: options.recordings.record === undefined ? replayedFrom(environment, options) : undefined,
    notify_url: environment["ABEVAL_NOTIFY_URL"] || undefined,
    job_url: jobUrl(environment),
    otlp_headers: headersIn(environment["OTEL_EXPORTER_OTLP_HEADERS"]),
    openStore: () =>
      openStore({ state_dir: options.state_dir, after: options.after, database, lost: tellLost(options) }),
  };
}

/** Read only where a model without a price is used: the list takes a fifth of a second to load. */
async function listPriceOf(credentials: Credentials, ref: string): Promise<Price | null> {
  const { provider, model } = splitModelRef(ref);
  const address = credentials.endpoint(provider)?.base_url;
  if (address === undefined) return null;
  const { listPrice } = await import("../../../arms/model/list-prices.ts");
  return listPrice(address, model);
}

/** Says of a run that its process was lost, and that it ended with that, unless it begins again. */
const tellLost =
  ({ news }: Pick<ServiceOptions, "news">): HearLost =>
  ({ goes_on, ...lost }) => {
    news?.({ event: "lost", ...lost, code: PROCESS_LOST });
    if (!goes_on) news?.({ event: "ended", ...lost, state: "interrupted", code: "interrupted" });
  };

const replayedFrom = (environment: Environment, { recordings }: ServiceOptions) =>
  recordings.replay ?? (environment["ABEVAL_CASSETTES"] || undefined);

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
    // Root may write anywhere by its rights, and cannot where there is no disk, as in /proc.
    rmdirSync(makeTempDir(path));
    return undefined;
  } catch (error) {
    refuseShortage(error);
    return existsSync(path) ? `cannot be written to (${errorCode(error)})` : "does not exist";
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** As GitLab and GitHub say it. */
function jobUrl(environment: Environment): string | undefined {
  const [server, repository, run] = ["SERVER_URL", "REPOSITORY", "RUN_ID"].map((name) => environment[`GITHUB_${name}`]);
  if (environment["CI_JOB_URL"]) return environment["CI_JOB_URL"];
  return server && repository && run ? `${server}/${repository}/actions/runs/${run}` : undefined;
}

/** `name=value,name=value` with values as in a URL, as OpenTelemetry's exporters take it. What is no pair is left out. */
function headersIn(list = ""): Record<string, string> {
  const pairs = list.split(",").map((pair) => /^\s*([\w-]+)\s*=\s*(.*?)\s*$/.exec(pair));
  return Object.fromEntries(pairs.flatMap((pair) => (pair?.[1] ? [[pair[1], decoded(pair[2] ?? "")]] : [])));
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value; // a stray percent sign
  }
}

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
  if (ON_BUN) return (await import("./own-process.ts")).sealProcess();
  notice(
    "commands without a sandbox can read the keys that this process was started with; only on Bun can it hide them",
  );
}

/** The stored sessions alone, for a command that runs nothing. @throws as `openStore` does, UsageError where none are named */
export async function openStoredSessions(
  { value }: Pick<ParsedArguments<"state-dir" | "database-url">, "value">,
  unnamed = "where are the sessions? Name --state-dir <path>, or --database-url <url>",
) {
  const { environment } = await readOutside(() => undefined);
  const state_dir = value("state-dir");
  const database = databasePlace(environment, databaseSettings(value("database-url")), state_dir);
  if (!database && state_dir === undefined) throw new UsageError(unnamed);
  return await openStore({ state_dir, database });
}

/** Opening a store would make it. @throws UsageError where no sessions are kept */
export function demandStoredSessions(state_dir: string): void {
  if (!existsSync(join(state_dir, "sessions.db")))
    throw new UsageError(`--state-dir ${state_dir}: no sessions are kept there`);
}

const isCi = (value = "") => !["", "0", "false"].includes(value.toLowerCase());

/** Whether a job runs this, whose checkout somebody else may have written. */
export const isInCi = () => isCi(process.env["CI"]);

/**
 * Puts variables of a file into the environment. What is there stays. Where a file leads a provider's calls elsewhere, no secret goes
 * with them that the file does not hold.
 */
export function takeVariables(given: readonly (readonly [name: string, value: string])[]) {
  const ours = new Set(given.map(([name]) => name).filter((name) => process.env[name] === undefined));
  const isTheirs = (name: string) => process.env[name] !== undefined;
  const isFree = (name: string) => {
    const [, provider] = /^(.*?)(?:_ANTHROPIC)?_(?:BASE_URL|HEADERS)$/.exec(name) ?? [];
    if (provider === undefined || !ours.has(name)) return ours.has(name);
    const secrets = ["_API_KEY", "_HEADERS", "_ANTHROPIC_API_KEY", "_ANTHROPIC_HEADERS"].map((end) => provider + end);
    return ours.has(`${provider}_API_KEY`) && !secrets.some(isTheirs);
  };
  // All are looked at before the first is set.
  const taken = given.filter(([name]) => isFree(name));
  for (const [name, value] of taken) process.env[name] = value;
  const names = taken.map(([name]) => name);
  return { taken: names, left: given.map(([name]) => name).filter((name) => !names.includes(name)) };
}

/** Whether the environment names the place of the sessions. */
export const namesDatabase = () => Boolean(process.env["ABEVAL_DATABASE_URL"]);

/** Whether the terminal can only print one line after the other. */
export const isDumbTerminal = () => process.env["TERM"] === "dumb";

/** Whether colours are wanted: FORCE_COLOR wants them everywhere, else a terminal that is not dumb has them, without NO_COLOR. */
export function colourWanted(onTerminal: boolean): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: none } = process.env;
  if (forced) return !["0", "false"].includes(forced);
  return onTerminal && !none && !isDumbTerminal();
}

/** @throws UsageError where the result would be lost */
export function demandStdout(result: "verdict" | "series" | "night"): void {
  if (isStdoutClosed())
    throw new UsageError(`stdout is closed, and the ${result} goes there; send it to a file, or to /dev/null`);
}

interface RunPlaces extends Pick<ServiceOptions, "scenarios_dirs" | "max_sessions" | "max_queued"> {
  /** The directory in which what providers are asked is recorded. */
  readonly record?: string | undefined;
}

/** The services of one `abeval run`, which end with it. @throws as `openServices` and `sharedSettings` do */
export async function openRun(
  args: Pick<ParsedArguments<keyof typeof SHARED_FLAGS | "quiet">, "value" | "values" | "has">,
  { record, ...places }: RunPlaces,
): Promise<PreparedServices> {
  // With --keep-workspaces the user must learn where they are, even with --quiet.
  const quiet = args.has("quiet") && !args.has("keep-workspaces");
  // The run goes on when stderr is closed or full.
  if (!args.has("quiet")) process.stderr.on("error", () => undefined);
  const { recordings, ...shared } = await sharedSettings(args);
  // Each row of a table is planned, and says the same of what it shares with the others.
  const told = new Set<string>();
  const isNew = (line: string) => told.size < told.add(line).size;
  return await openServices({
    ...shared,
    ...places,
    server: false,
    recordings: { ...recordings, record },
    notice: (line) => quiet || (isNew(line) && process.stderr.write(`${plainText(line)}\n`)),
  });
}
