import { statSync } from "node:fs";
import { systemClock, systemEntropy } from "../clock.ts";
import type { PriceList } from "../domain/price-list.ts";
import { SANDBOX_MODES, type SandboxMode } from "../domain/session.ts";
import { CallLimiter } from "../model/call-limiter.ts";
import { Credentials } from "../model/credentials.ts";
import { listProviders, modelResolver } from "../model/resolve-model.ts";
import type { Services } from "../operation/services.ts";
import type { CatalogOptions, ScenarioCatalog } from "../scenario/scenario-catalog.ts";
import type { DoctorServices } from "../session/doctor/doctor.ts";
import { Examinations } from "../session/doctor/examinations.ts";
import type { PreparationServices } from "../session/services.ts";
import { SessionIds } from "../session/session-id.ts";
import { Slots } from "../session/slots.ts";
import { memoryStore } from "../store/memory.ts";
import type { SessionStore } from "../store/store.ts";
import { LiveRuns } from "../stream/live-runs.ts";
import { version } from "../version.ts";
import { THIS_HOST } from "../workspace/sandbox/host.ts";
import { sweepScratch } from "../workspace/scratch.ts";
import { type FlagSpec, UsageError } from "./arguments.ts";
import { PRICES_FLAG } from "./cost-flags.ts";
import { readableDirectories, SANDBOX_FLAGS, type SandboxSettings } from "./sandbox-flags.ts";
import { sealProcess } from "./seal-process.ts";

/** Flags that belong to run, serve and mcp alike. */
export const SHARED_FLAGS = {
  "state-dir": {
    value: "<path>",
    description: "keep sessions here (sessions.db and sessions/*.json); default: memory",
  },
  ...SANDBOX_FLAGS,
  ...PRICES_FLAG,
  "keep-workspaces": { description: "leave each arm's files on disk and say where" },
} as const satisfies Record<string, FlagSpec>;

/** Provider calls at once for each session that runs: both arms, or both orders of the judge, and as many again. */
const CALLS_PER_SESSION = 4;

export interface ServiceOptions {
  readonly sandbox: SandboxSettings;
  /** What commands must never be shown, where there is one. */
  readonly state_dir: string | undefined;
  readonly scenarios_dir: string;
  readonly prices: PriceList;
  readonly max_cost_per_day_usd?: number | undefined;
  readonly keep_workspaces: boolean;
  /** Sessions at once, and how many may wait. */
  readonly max_sessions: number;
  readonly max_queued: number;
  /** Absent: in proportion to the sessions. */
  readonly max_provider_calls?: number | undefined;
  readonly notice: (line: string) => void;
}

/** Flags and environment made into values; nothing else reads the environment. Writes nothing. */
export const openServices = (options: ServiceOptions): PreparationServices => assemble(readOutside(), options);

interface Outside {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly credentials: Credentials;
}

/** Keys leave the environment, so that no command inherits one. */
function readOutside(): Outside {
  const environment = { ...process.env };
  const credentials = new Credentials(environment);
  for (const name of credentials.secretNames) delete process.env[name];
  if (credentials.secretNames.length > 0) sealProcess();
  return { environment, credentials };
}

function assemble({ environment, credentials }: Outside, options: ServiceOptions): PreparationServices {
  void sweepScratch(systemClock.now());
  const sandbox = sandboxMode(options.sandbox.mode ?? environment["ABEVAL_SANDBOX"]);
  if (sandbox === "none" && options.sandbox.read.length > 0)
    options.notice("--sandbox-read has no effect without a sandbox: commands read whatever this user can");
  const calls = options.max_provider_calls ?? CALLS_PER_SESSION * options.max_sessions;
  return {
    clock: systemClock,
    entropy: systemEntropy,
    live: new LiveRuns(),
    slots: new Slots(options.max_sessions, options.max_queued),
    ids: new SessionIds(),
    resolveModel: modelResolver({ credentials, clock: systemClock, limiter: new CallLimiter(calls) }),
    redact: credentials.redactSecrets,
    sandbox,
    judge_model: environment["ABEVAL_JUDGE_MODEL"] || undefined,
    sandbox_host: {
      clock: systemClock,
      path: environment["PATH"] || THIS_HOST.path,
      executable: process.execPath,
      read: readableDirectories(options.sandbox.read, { ...options, home: environment["HOME"] }),
      accept_host_network: options.sandbox.accept_host_network,
    },
    prices: options.prices,
    max_cost_per_day_usd: options.max_cost_per_day_usd,
    keep_workspaces: options.keep_workspaces,
    notice: options.notice,
    version,
  };
}

/** For programs that run scenarios which somebody else may have put there. */
export const GIT_FLAG = {
  "allow-git-fixtures": {
    description: "fixtures and prompts may come from the git repository around the scenarios",
  },
} as const satisfies Record<string, FlagSpec>;

export interface ServerOptions extends ServiceOptions {
  readonly git_fixtures: boolean;
  readonly web_dir: string | undefined;
  /** Absent: no HTTP is served. */
  readonly listen_host: string | undefined;
  readonly allowed?: DoctorServices["allowed"];
}

/**
 * What a program needs that is asked many things: serve and mcp.
 * @throws Failure as `openStore` does, UsageError for a file in the place of a directory
 */
export async function openServerServices(options: ServerOptions): Promise<Services & Disposable> {
  const started_ticks = systemClock.ticks();
  const outside = readOutside();
  const { state_dir, web_dir, listen_host } = options;
  demandDirectory(options.scenarios_dir);
  const services = assemble(outside, options);
  const store = await openStore(state_dir);
  return {
    ...services,
    store,
    [Symbol.dispose]: () => store[Symbol.dispose](),
    catalog: catalogWhenAsked(options.scenarios_dir, options),
    started_ticks,
    state_dir,
    web_dir,
    listen_host,
    ...(options.allowed && { allowed: options.allowed }),
    providers: () => listProviders(outside.credentials),
    examinations: new Examinations(),
  };
}

/** One that is not there yet may come. */
function demandDirectory(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) return;
  const hint = stats.isFile() ? "; name the directory that it lies in, or use abeval run" : "";
  throw new UsageError(`--scenarios-dir ${path}: is not a directory${hint}`);
}

/** What reads scenarios is loaded when the first is read: a server answers before that. */
function catalogWhenAsked(directory: string, options: CatalogOptions): ScenarioCatalog {
  let opened: Promise<ScenarioCatalog> | undefined;
  const open = () => {
    opened ??= import("../scenario/scenario-catalog.ts").then(({ openCatalog }) => openCatalog(directory, options));
    return opened;
  };
  return { directory, list: async () => (await open()).list(), get: async (name) => (await open()).get(name) };
}

/**
 * SQLite is loaded only by those who persist.
 * @throws Failure `storage_failed` or `storage_full` when the state directory cannot be used.
 */
export async function openStore(state_dir: string | undefined): Promise<SessionStore> {
  if (state_dir === undefined) return memoryStore();
  const { sqliteStore } = await import("../store/sqlite.ts");
  return sqliteStore(state_dir, systemClock, systemEntropy);
}

function sandboxMode(mode: string | undefined): SandboxMode {
  const known = SANDBOX_MODES.find((name) => name === (mode || "auto"));
  if (known === undefined) throw new UsageError(`ABEVAL_SANDBOX: expected ${SANDBOX_MODES.join(", ")}, got "${mode}"`);
  return known;
}

/** Whether colours are wanted: a terminal, and neither NO_COLOR nor a dumb one. */
export const colourWanted = () => !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";
