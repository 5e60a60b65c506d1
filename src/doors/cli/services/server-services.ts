import { statSync } from "node:fs";
import { makeTempDir, removeTree } from "../../../arms/sandbox/temp-dir.ts";
import { SelfTests } from "../../../comparison/audit/self-tests.ts";
import type { RunNews } from "../../../comparison/planning/services.ts";
import type { ScenarioCatalog, ScenarioIntake } from "../../../comparison/scenario/scenario-catalog.ts";
import { Failure } from "../../../domain/failure.ts";
import { plainText } from "../../../domain/plain-text.ts";
import type { ScenarioStore } from "../../../domain/scenario-request.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { Diagnoses } from "../../doctor/diagnoses.ts";
import type { LogRequest } from "../../http/request-log.ts";
import type { Services } from "../../operation/operation.ts";
import { UsageError } from "../flags/parse-arguments.ts";
import { openServices, type ServiceOptions } from "./services.ts";

export interface ServerOptions extends Omit<ServiceOptions, "scenarios_dirs" | "server"> {
  /** Default: others ask for what it runs. */
  readonly server?: boolean;
  readonly scenarios_dir: string;
  readonly git_fixtures: boolean;
  /** Callers may send scenarios, and what these may hold. Absent: they may not. */
  readonly new_scenarios?: { readonly commands: boolean } | undefined;
  readonly web_dir: string | undefined;
  /** Absent: no HTTP is served. */
  readonly listen_host: string | undefined;
  readonly allowed?: Services["allowed"];
  /** Default: those of a server, whose callers wait for an answer. */
  readonly diagnoses?: Diagnoses;
}

/**
 * The services of serve and mcp, which answer many requests.
 * @throws Failure and UsageError as `openStore` does, UsageError for a file in the place of a directory
 */
export async function openServerServices(options: ServerOptions): Promise<Services & AsyncDisposable> {
  const started_ticks = systemClock.ticks();
  const { scenarios_dir, state_dir, web_dir, listen_host, allowed } = options;
  demandDirectory(scenarios_dir);
  const { openStore, ...services } = await openServices({ server: true, ...options, scenarios_dirs: [scenarios_dir] });
  const opened = await openStore();
  return {
    ...services,
    ...opened,
    ...scenariosWhenAsked(scenarios_dir, options, opened.shared?.scenarios),
    started_ticks,
    state_dir,
    web_dir,
    listen_host,
    ...(allowed && { allowed }),
    diagnoses: options.diagnoses ?? new Diagnoses(),
    self_tests: new SelfTests(),
  };
}

/** A missing directory is allowed: it may be made later. */
function demandDirectory(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) return;
  const hint = stats.isFile() ? "; name its directory, or use abeval run" : "";
  throw new UsageError(`--scenarios-dir ${path}: is not a directory${hint}`);
}

/** Loads the reader of scenarios with the first scenario, so that a server answers sooner. */
function scenariosWhenAsked(
  directory: string,
  { git_fixtures, new_scenarios }: Pick<ServerOptions, "git_fixtures" | "new_scenarios">,
  rows: ScenarioStore | undefined,
): Pick<Services, "catalog" | "intake"> {
  let opened: Promise<ScenarioCatalog & ScenarioIntake> | undefined;
  const open = () => {
    opened ??= import("../../../comparison/scenario/intake/intake-catalog.ts").then(({ openIntake }) =>
      openIntake(directory, {
        ...{ git_fixtures, rows, may_be_missing: new_scenarios !== undefined },
        commands: new_scenarios?.commands ?? false,
      }),
    );
    return opened;
  };
  const catalog: ScenarioCatalog = {
    directory,
    list: async () => (await open()).list(),
    get: async (name) => (await open()).get(name),
  };
  if (!new_scenarios) return { catalog };
  const intake: ScenarioIntake = {
    source: async (name) => (await open()).source(name),
    load: async (definition) => (await open()).load(definition),
    keep: async (definition, expected) => (await open()).keep(definition, expected),
  };
  return { catalog, intake };
}

/** Scenarios that the line names. */
const NAMED = 3;

/** Says which scenarios are broken, or that they cannot be read. The program answers its clients meanwhile. */
export function tellBroken(catalog: ScenarioCatalog, notice: (line: string) => void): void {
  brokenIn(catalog).then(
    (broken) => broken.length > 0 && notice(inWords(broken, catalog.directory)),
    (error: unknown) => notice(error instanceof Failure ? error.message : String(error)),
  );
}

const brokenIn = async (catalog: ScenarioCatalog) =>
  (await catalog.list()).filter(({ error }) => error !== null).map(({ name }) => name);

function inWords(broken: readonly string[], directory: string): string {
  const named = `${broken.slice(0, NAMED).join(", ")}${broken.length > NAMED ? " and others" : ""}`;
  const scenarios = broken.length === 1 ? "1 scenario is broken" : `${broken.length} scenarios are broken`;
  return `${scenarios}: ${named}; abeval check ${directory}/<file> says why`;
}

interface Joining {
  /** Sessions at once; 0: others run what is accepted here. */
  readonly slots: number;
  /** Fires when it takes no more work. */
  readonly stopping: AbortSignal;
}

/**
 * Makes this process a worker of its shared store, which runs what any server accepts. Disposal removes the files that it kept
 * for that. Without a shared store nothing is loaded.
 */
export async function joinWorkers(services: Services, { slots, stopping }: Joining): Promise<AsyncDisposable> {
  const { shared } = services;
  if (!shared) return { [Symbol.asyncDispose]: async () => undefined };
  const [{ startWorker }, { capabilitiesOf }, { MaterialsCache }] = await Promise.all([
    import("../../../comparison/session/workers/worker.ts"),
    import("../../../comparison/session/workers/capabilities.ts"),
    import("../../../comparison/scenario/materials-cache.ts"),
  ]);
  const providers = services.providers().flatMap(({ provider, present }) => (present ? [provider] : []));
  const capabilities = await capabilitiesOf(services, providers);
  const directory = makeTempDir();
  await startWorker({ services, shared, files: new MaterialsCache(directory) }, { slots, capabilities, stopping });
  return { [Symbol.asyncDispose]: () => removeTree(directory) };
}

/**
 * Has the runs of a server that fell silent, if this one was started in its place, so that they can be followed, cancelled and
 * counted before it listens. Calling what it returns goes on with them.
 */
export async function inheritedRuns(services: Services): Promise<() => void> {
  const { runs = [] } = services.store.estate ?? {};
  if (runs.length === 0) return () => undefined;
  const { inheritRuns, resumeRuns } = await import("../../../comparison/session/resume-runs.ts");
  const inherited = inheritRuns(services, runs);
  return () => void resumeRuns(services, inherited);
}

export const LOG_FORMATS = ["text", "json", "none"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

interface Log {
  /** Absent when requests are not logged. */
  readonly request: LogRequest | undefined;
  /** One line for the operator. */
  readonly notice: (line: string) => void;
  /** A line for each run that is accepted, claimed, lost, superseded or ended; absent as `request` is. */
  readonly news: Services["news"];
}

/** Lines on stderr. */
export function openLog(format: LogFormat): Log {
  const render = format === "json" ? inJson : inText;
  return {
    ...{ request: requestLog(format), news: runLog(format) },
    notice: (line) => void process.stderr.write(render(line)),
  };
}

function runLog(format: LogFormat): Services["news"] {
  if (format === "none") return undefined;
  return (news) => {
    const line = { at: systemClock.now().toISOString(), ...news };
    process.stderr.write(`${format === "json" ? JSON.stringify(line) : newsInOneLine(line)}\n`);
  };
}

/** Names are those of scenarios and series, which hold no control characters. */
function newsInOneLine({ at, event, session_id, scenario: _, ...facts }: { readonly at: string } & RunNews): string {
  const told = Object.entries(facts).map(([name, value]) => ` ${name} ${value}`);
  return `${at.slice(11, 19)} ${event} ${session_id}${told.join("")}`;
}

function requestLog(format: LogFormat): LogRequest | undefined {
  if (format === "none") return undefined;
  const shown = format === "json" ? JSON.stringify : inOneLine;
  return (line) => void process.stderr.write(`${shown(line)}\n`);
}

const inOneLine = ({ at, method, path, status, ms }: Parameters<LogRequest>[0]) =>
  `${at.slice(11, 19)} ${status} ${method} ${path} ${ms} ms`;

const inText = (line: string) => `abeval: ${plainText(line)}\n`;
const inJson = (notice: string) => `${JSON.stringify({ at: systemClock.now().toISOString(), notice })}\n`;
