import { statSync } from "node:fs";
import { SelfTests } from "../audit/self-tests.ts";
import { systemClock, systemEntropy } from "../clock.ts";
import { Diagnoses } from "../doctor/diagnoses.ts";
import { MAX_QUEUED } from "../domain/defaults.ts";
import type { PriceList } from "../domain/price-list.ts";
import { SANDBOX_MODES, type SandboxMode } from "../domain/session.ts";
import { Credentials } from "../model/credentials.ts";
import { listProviders, MAX_PROVIDER_CALLS, modelResolver } from "../model/resolve-model.ts";
import { upstreams } from "../model/upstream.ts";
import { ON_BUN } from "../on-bun.ts";
import type { Services } from "../operation/services.ts";
import { THIS_HOST } from "../sandbox/host.ts";
import { Sandboxes } from "../sandbox/sandboxes.ts";
import { sweepTempDirs } from "../sandbox/temp-dir.ts";
import type { CatalogOptions, ScenarioCatalog } from "../scenario/scenario-catalog.ts";
import { Semaphore } from "../semaphore.ts";
import { Runs } from "../session/runs.ts";
import { SeriesRuns } from "../session/series-in-flight.ts";
import type { SessionServices } from "../session/services.ts";
import { version } from "../version.ts";
import { type FlagSpec, type ParsedArguments, UsageError } from "./arguments.ts";
import { PRICES_FLAG, readPrices } from "./cost-flags.ts";
import {
  DATABASE_FLAG,
  type DatabaseSettings,
  databasePlace,
  databaseSettings,
  SHARING_FLAGS,
} from "./database-flags.ts";
import { type OpenedStore, openStore } from "./open-store.ts";
import {
  AGENTS_FLAG,
  agentsDirectory,
  readableDirectories,
  SANDBOX_FLAGS,
  type SandboxSettings,
  sandboxSettings,
} from "./sandbox-flags.ts";
import { openTapes, REPLAY_FLAGS, type TapeSettings, tapeSettings } from "./tape-flags.ts";

/** Flags that belong to run, serve and mcp alike. */
export const SHARED_FLAGS = {
  "state-dir": {
    value: "<path>",
    description: "keep sessions here (sessions.db and sessions/*.json); default: memory",
  },
  ...DATABASE_FLAG,
  ...SANDBOX_FLAGS,
  ...AGENTS_FLAG,
  ...PRICES_FLAG,
  ...REPLAY_FLAGS,
  "keep-workspaces": { description: "leave each arm's files on disk and say where" },
} as const satisfies Record<string, FlagSpec>;

/** Provider calls at once for each running session: two for the arms or the judge's orders, and two to spare. */
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
  /** Absent: nothing is recorded, and ABEVAL_CASSETTES decides whether something is replayed. */
  readonly tapes?: TapeSettings | undefined;
  readonly max_cost_per_day_usd?: number | undefined;
  readonly keep_workspaces: boolean;
  /** Sessions at once, and how many may wait. */
  readonly max_sessions: number;
  readonly max_queued: number;
  /** Absent: in proportion to `max_sessions`. */
  readonly max_provider_calls?: number | undefined;
  readonly notice: (line: string) => void;
}

/** Makes values of flags and environment. Nothing else reads the environment. Writes nothing. */
export async function openServices(options: ServiceOptions): Promise<PreparedServices> {
  const outside = await readOutside(options.notice);
  const place = { ...options, database: databasePlace(outside.environment, options.database, options.state_dir) };
  const in_database = place.database !== undefined;
  return { ...(await assemble(outside, options)), in_database, openStore: () => openStore(place) };
}

/** Everything but the store, which is opened when nothing can be refused any more. */
export interface PreparedServices extends Omit<SessionServices, "store"> {
  readonly in_database: boolean;
  /** @throws Failure `storage_failed` or `storage_full`, UsageError */
  readonly openStore: () => Promise<OpenedStore>;
}

interface Outside {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly credentials: Credentials;
}

/** Removes keys from the environment, so that no command inherits one. */
async function readOutside(notice: ServiceOptions["notice"]): Promise<Outside> {
  const environment = { ...process.env };
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

async function assemble(
  { environment, credentials }: Outside,
  options: ServiceOptions,
): Promise<Omit<SessionServices, "store">> {
  void sweepTempDirs(systemClock.now());
  const sandbox = sandboxMode(options.sandbox.mode ?? environment["ABEVAL_SANDBOX"]);
  if (sandbox === "none" && options.sandbox.read.length > 0)
    options.notice("--sandbox-read has no effect without a sandbox: commands read whatever this user can");
  const places = { ...options, home: environment["HOME"] };
  const calls = Math.min(options.max_provider_calls ?? CALLS_PER_SESSION * options.max_sessions, MAX_PROVIDER_CALLS);
  const redact = credentials.redactSecrets;
  const recording = { clock: systemClock, entropy: systemEntropy, redact, version };
  const tapes = await openTapes(environment["ABEVAL_CASSETTES"], options.tapes ?? NO_TAPES, recording);
  const models = {
    ...{ credentials, clock: systemClock, limiter: new Semaphore(calls) },
    replay_only: tapes?.mode === "replay",
  };
  return {
    clock: systemClock,
    entropy: systemEntropy,
    runs: new Runs(),
    series: new SeriesRuns(),
    slots: new Semaphore(options.max_sessions, options.max_queued),
    resolveModel: modelResolver(models),
    openUpstream: upstreams(models),
    tapes,
    redact,
    sandbox,
    judge_model: environment["ABEVAL_JUDGE_MODEL"] || undefined,
    sandboxes: new Sandboxes({
      clock: systemClock,
      path: environment["PATH"] || THIS_HOST.path,
      executable: THIS_HOST.executable,
      read: readableDirectories(options.sandbox.read, places),
      accept_host_network: options.sandbox.accept_host_network,
    }),
    agents_dir: agentsDirectory(options.agents_dir ?? environment["ABEVAL_AGENTS_DIR"], places),
    prices: options.prices,
    max_cost_per_day_usd: options.max_cost_per_day_usd,
    keep_workspaces: options.keep_workspaces,
    notice: options.notice,
    version,
  };
}

const NO_TAPES: TapeSettings = { record: undefined, replay: undefined, strict: false, live_judge: false };

/** Flags of serve and mcp, which run scenarios that somebody else may have put there. */
export const SERVER_FLAGS = {
  ...SHARED_FLAGS,
  ...SHARING_FLAGS,
  "allow-git-fixtures": {
    description: "fixtures and prompts may come from the git repository around the scenarios",
  },
  "max-cost-per-day": {
    value: "<usd>",
    usd: true,
    description:
      "refuse a run that could push the UTC day's cost over this; counts all who share the sessions, also after a restart",
  },
} as const satisfies Record<string, FlagSpec>;

type ServerArguments = Omit<ParsedArguments<keyof typeof SERVER_FLAGS | "scenarios-dir">, "parameters" | "given">;

/** What these flags say. @throws UsageError, Failure `invalid_request` as `readPrices` does */
export const serverSettings = async (args: ServerArguments) => ({
  state_dir: args.value("state-dir"),
  database: databaseSettings(args, args),
  scenarios_dir: args.value("scenarios-dir") ?? "scenarios",
  sandbox: sandboxSettings(args),
  agents_dir: args.value("agents-dir"),
  prices: await readPrices(args),
  tapes: tapeSettings(args),
  max_cost_per_day_usd: args.usd("max-cost-per-day"),
  keep_workspaces: args.has("keep-workspaces"),
  git_fixtures: args.has("allow-git-fixtures"),
  max_queued: MAX_QUEUED,
});

export interface ServerOptions extends Omit<ServiceOptions, "scenarios_dirs"> {
  readonly scenarios_dir: string;
  readonly git_fixtures: boolean;
  readonly web_dir: string | undefined;
  /** Absent: no HTTP is served. */
  readonly listen_host: string | undefined;
  readonly allowed?: Services["allowed"];
}

/**
 * The services of serve and mcp, which answer many requests.
 * @throws Failure and UsageError as `openStore` does, UsageError for a file in the place of a directory
 */
export async function openServerServices(options: ServerOptions): Promise<Services & AsyncDisposable> {
  const started_ticks = systemClock.ticks();
  const outside = await readOutside(options.notice);
  const { state_dir, web_dir, listen_host } = options;
  demandDirectory(options.scenarios_dir);
  const services = await assemble(outside, { ...options, scenarios_dirs: [options.scenarios_dir] });
  const database = databasePlace(outside.environment, options.database, state_dir);
  const opened = await openStore({ state_dir, database });
  return {
    ...services,
    ...opened,
    catalog: catalogWhenAsked(options.scenarios_dir, options),
    started_ticks,
    state_dir,
    web_dir,
    listen_host,
    ...(options.allowed && { allowed: options.allowed }),
    providers: () => listProviders(outside.credentials),
    diagnoses: new Diagnoses(),
    self_tests: new SelfTests(),
  };
}

/** A missing directory is allowed: it may be made later. */
function demandDirectory(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) return;
  const hint = stats.isFile() ? "; name the directory that it lies in, or use abeval run" : "";
  throw new UsageError(`--scenarios-dir ${path}: is not a directory${hint}`);
}

/** Loads the reader of scenarios with the first scenario, so that a server answers sooner. */
function catalogWhenAsked(directory: string, options: CatalogOptions): ScenarioCatalog {
  let opened: Promise<ScenarioCatalog> | undefined;
  const open = () => {
    opened ??= import("../scenario/scenario-catalog.ts").then(({ openCatalog }) => openCatalog(directory, options));
    return opened;
  };
  return { directory, list: async () => (await open()).list(), get: async (name) => (await open()).get(name) };
}

function sandboxMode(mode: string | undefined): SandboxMode {
  const known = SANDBOX_MODES.find((name) => name === (mode || "auto"));
  if (known === undefined) throw new UsageError(`ABEVAL_SANDBOX: expected ${SANDBOX_MODES.join(", ")}, got "${mode}"`);
  return known;
}

/** Whether colours are wanted: a terminal, and neither NO_COLOR nor a dumb one. */
export const colourWanted = () => !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";
