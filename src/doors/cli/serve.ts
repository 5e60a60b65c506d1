import { existsSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { MAX_PROVIDER_CALLS } from "../../arms/model/resolve-model.ts";
import { makeTempDir } from "../../arms/sandbox/temp-dir.ts";
import { MAX_QUEUED, MAX_SESSIONS } from "../../domain/defaults.ts";
import { errorCode, wordsOf } from "../../domain/failure.ts";
import { allowedHosts, allowedOrigins } from "../http/allowed-callers.ts";
import { type AppOptions, createApp, createHealthApp } from "../http/app.ts";
import { AtWork } from "../http/at-work.ts";
import { EventStreams } from "../http/event-stream.ts";
import { type Address, type Listenable, type Listening, listen } from "../http/listen.ts";
import { Metrics } from "../http/metrics.ts";
import { openWebUi, type WebUi } from "../http/web-ui.ts";
import type { Services } from "../operation/operation.ts";
import { EXIT, exitCodeOfCommand } from "./exit-code.ts";
import { checkHost, checkOrigin, checkUserHeader, listenProblem, parseAddress, warnWhenOpen } from "./flags/address.ts";
import { demandBubblewrap, NEW_SCENARIO_FLAGS, type NewScenarios, newScenarios } from "./flags/new-scenarios.ts";
import { type CommandSpec, type ParsedArguments, parseArguments, UsageError } from "./flags/parse-arguments.ts";
import { SERVER_FLAGS, serverSettings } from "./flags/service-flags.ts";
import { drainOnSignal, drainSignal, obeyDrain } from "./services/draining.ts";
import {
  inheritedRuns,
  joinWorkers,
  LOG_FORMATS,
  type LogFormat,
  openLog,
  openServerServices,
  tellBroken,
} from "./services/server-services.ts";
import { signalled, untilStopped } from "./services/shutdown.ts";
import { openedAddress, supervision } from "./services/supervised.ts";

/** Seconds that running runs get to finish when the server is told to stop. */
const GRACE_S = 30;

/** Milliseconds in which a load balancer learns that the server is not ready. */
const LEAVE_MS = 5_000;

export const SERVE = {
  name: "abeval serve",
  usage: "abeval serve [flags]",
  description:
    "Serves the HTTP API, and the web UI on the same port when --web-dir names one. There is no authentication: put a\n" +
    "reverse proxy in front beyond localhost. Stops on SIGTERM and SIGINT; running runs may finish first.\n" +
    "After SIGTERM it is not ready and accepts work for 5 s more (--grace, when that is less).",
  examples: [
    "abeval serve",
    "abeval serve --web-dir ui --state-dir .abeval",
    "abeval serve --addr 0.0.0.0:8080 --allowed-host eval.example.com --log json",
    "abeval serve --web-dir ui --allowed-origin https://dash.example.com --max-cost-per-day 20 --prices prices.yaml",
    "abeval serve --worker --database-url postgres://abeval@db.example.com/abeval --max-sessions 8",
  ],
  parameters: [],
  flags: {
    addr: { value: "<host:port>", description: "listen here (default 127.0.0.1:8080; port 0: any free port)" },
    "scenarios-dir": { value: "<path>", description: "read scenarios from here (default scenarios)" },
    "web-dir": { value: "<path>", description: "serve the web UI in this directory at /" },
    ...SERVER_FLAGS,
    "max-sessions": {
      value: "<n>",
      range: { min: 0, max: 1000 },
      description: `run this many sessions at once; ${MAX_QUEUED} more may wait (default ${MAX_SESSIONS}); 0, with a database: leave them to workers`,
    },
    worker: {
      description: "with a database: only run what other servers accept; with --addr, serve health and metrics",
    },
    "max-provider-calls": {
      value: "<n>",
      range: { min: 1, max: MAX_PROVIDER_CALLS },
      description: `make this many provider calls at once (default 4 for each session, at most ${MAX_PROVIDER_CALLS})`,
    },
    "allowed-host": {
      value: "<name>",
      repeatable: true,
      description: "answer only requests to this host, loopback names and the listen address; repeatable",
    },
    "allowed-origin": {
      value: "<origin>",
      repeatable: true,
      description:
        "let only pages of this origin, and of this server, start, judge and stop runs; others only read; self: of this server alone; repeatable",
    },
    ...NEW_SCENARIO_FLAGS,
    "user-header": {
      value: "<name>",
      description: "store who started runs and series, from a header that the reverse proxy sets; it grants no rights",
    },
    grace: {
      value: "<seconds>",
      range: { min: 0, max: 86_400 },
      description: `when told to stop, let running runs go on for this long (default ${GRACE_S})`,
    },
    "health-addr": {
      value: "<host:port>",
      description:
        "answer GET /api/health here, too, by the supervisor: also while the server stands still or starts again",
    },
    "no-supervise": {
      description: "serve without a supervisor, which ends a server that stood still for 30 s and starts it again",
    },
    log: {
      value: "<format>",
      choices: LOG_FORMATS,
      description:
        "log each request and each run that is accepted, claimed, lost or ended, on stderr: text, json or none",
    },
  },
} as const satisfies CommandSpec<string>;

type Arguments = ParsedArguments<keyof typeof SERVE.flags>;

/** `abeval serve`: returns the exit status when it was told to stop. */
export const command = (args: readonly string[]): Promise<number> =>
  exitCodeOfCommand(SERVE.name, async () => await serve(await parseArguments(SERVE, args)));

async function serve(args: Arguments): Promise<number> {
  const settings = settingsOf(args);
  const format = (args.value("log") ?? "text") as LogFormat; // parseArguments checked the choices
  using supervised = supervision();
  const { after, ...opened } = await openedAddress(supervised, settings, format);
  const given = { ...settings, ...opened };
  const { address, hosts, origins, worker, slots, user_header, new_scenarios } = given;
  const log = openLog(format);
  const metrics = new Metrics();
  using web_ui = await webUiOf(args.value("web-dir"), log.notice);
  const shared = await serverSettings(args);
  await using services = await openServerServices({
    ...shared,
    ...(new_scenarios?.commands && { sandbox: { ...shared.sandbox, mode: "bubblewrap" } }),
    new_scenarios,
    after,
    web_dir: args.value("web-dir"),
    listen_host: address.hostname,
    allowed: { hosts, origins },
    // It still judges, and tests judges.
    max_sessions: Math.max(1, slots),
    max_provider_calls: args.integer("max-provider-calls"),
    notice: log.notice,
    news: (news) => {
      metrics.news(news);
      log.news?.(news);
    },
    spent: metrics.spent,
  });
  demandShared(services, given);
  if (new_scenarios?.commands && slots > 0) await demandBubblewrap(services);
  const [streams, at_work] = [new EventStreams(), new AtWork()];
  const [leaving, stopping] = [new AbortController(), new AbortController()];
  const abandoned = new AbortController();
  const options = {
    origins: allowedOrigins(origins),
    hosts: allowedHosts(hosts, address.hostname, new_scenarios !== undefined),
    ...{ leaving: leaving.signal, stopping: stopping.signal, abandoned: abandoned.signal },
    ...{ metrics, streams, at_work },
    ...(log.request && { log: log.request }),
    ...(web_ui && { web_ui }),
    user_header,
  };
  const signal = signalled(supervised);
  const told = drainSignal(supervised);
  const goOnWithRuns = await inheritedRuns(services);
  const listening = listenAs(given, services, options);
  for (const port of [listening.port, given.health?.port]) services.endpoints.rules.own_ports.add(String(port));
  if (!worker) tellOfServer(services, log.notice, { ...given, web_ui: web_ui !== undefined });
  await using _worker = await joinWorkers(services, { slots, stopping: leaving.signal });
  await supervised?.ready(listening.port, services);
  goOnWithRuns();
  log.notice(worker ? `working, ${slots} sessions at once` : `listening on ${listening.url}`);
  const grace_ms = (args.integer("grace") ?? GRACE_S) * 1000;
  const leave_ms = worker ? 0 : Math.min(LEAVE_MS, grace_ms);
  void drainOnSignal({ told, supervised, services, at_work, leave_ms, leaving, stopping });
  using _obeying = services.shared && obeyDrain(services.shared, services);
  await untilStopped({
    signal,
    listening,
    streams,
    at_work,
    services,
    leave_ms,
    leaving,
    stopping,
    abandoned,
    grace_ms,
  });
  return EXIT.done;
}

interface Settings {
  readonly address: Address;
  /** It was named on the command line. */
  readonly addressed: boolean;
  /** Where the supervisor answers for health. */
  readonly health: Address | undefined;
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  readonly user_header: string | undefined;
  /** Callers may send scenarios, and what these may hold. */
  readonly new_scenarios: NewScenarios | undefined;
  /** It only runs what others accept. */
  readonly worker: boolean;
  /** Sessions at once. */
  readonly slots: number;
}

/** @throws UsageError */
function settingsOf(args: Arguments): Settings {
  const addr = args.value("addr");
  const address = parseAddress(addr ?? "127.0.0.1:8080");
  const [hosts, origins] = [args.values("allowed-host"), args.values("allowed-origin")];
  for (const host of hosts) checkHost(host);
  for (const origin of origins) checkOrigin(origin);
  const user_header = args.value("user-header");
  if (user_header !== undefined) checkUserHeader(user_header);
  const slots = args.integer("max-sessions") ?? MAX_SESSIONS;
  const worker = args.has("worker");
  const health_addr = args.value("health-addr");
  const health = health_addr === undefined ? undefined : parseAddress(health_addr, "--health-addr");
  if (health && args.has("no-supervise"))
    throw new UsageError("--health-addr is answered by the supervisor: leave out --no-supervise");
  if (worker && slots === 0) throw new UsageError("--worker with --max-sessions 0 would run nothing: leave one out");
  const new_scenarios = newScenarios(args, { origins, worker });
  return { address, addressed: addr !== undefined, health, hosts, origins, user_header, new_scenarios, worker, slots };
}

/** @throws UsageError */
function demandShared({ shared }: Services, { worker, slots }: Settings): void {
  if (shared || (!worker && slots > 0)) return;
  throw new UsageError(
    `${worker ? "--worker" : "--max-sessions 0"} needs --database-url: no other process would accept or run anything`,
  );
}

/** A worker answers only health and metrics, and listens only when it was given an address. */
function listenAs({ worker, address, addressed }: Settings, services: Services, options: AppOptions): Listening {
  if (!worker) return listenOn(createApp(services, options), address);
  if (addressed) return listenOn(createHealthApp(services, options), address);
  return { url: "", port: undefined, pending: 0, close: async () => undefined };
}

function tellOfServer(
  services: Services,
  notice: (line: string) => void,
  { address, web_ui, hosts, origins }: Settings & { readonly web_ui: boolean },
): void {
  warnWhenOpen(address, { hosts, origins }, notice);
  const scenarios = resolve(services.catalog.directory);
  if (!existsSync(scenarios)) notice(`there are no scenarios: ${scenarios} does not exist; see --scenarios-dir`);
  else tellBroken(services.catalog, notice);
  if (!web_ui) notice("no web UI: --web-dir names its directory");
}

function listenOn(app: Listenable, address: Address): Listening {
  try {
    return listen(app, address);
  } catch (error) {
    throw new UsageError(listenProblem(address, error));
  }
}

async function webUiOf(directory: string | undefined, notice: (line: string) => void): Promise<WebUi | undefined> {
  if (directory === undefined) return undefined;
  const staging = makeTempDir();
  try {
    const web_ui = await openWebUi(directory, staging);
    if (!web_ui.hasIndex) notice(`--web-dir ${directory}: there is no index.html in it`);
    return web_ui;
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    const missing = errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR";
    const reason = missing ? "is not a directory" : wordsOf(error);
    throw new UsageError(`--web-dir ${directory}: ${reason}`);
  }
}
