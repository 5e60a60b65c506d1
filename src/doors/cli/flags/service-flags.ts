import { MAX_QUEUED } from "../../../domain/defaults.ts";
import { NO_PRICES, type PriceList } from "../../../domain/price-list.ts";
import { SANDBOX_MODES } from "../../../domain/session-settings.ts";
import type { FlagSpec, ParsedArguments } from "./parse-arguments.ts";

/** Flags that say what commands may do, and where. */
export const SANDBOX_FLAGS = {
  sandbox: {
    value: "<mode>",
    choices: SANDBOX_MODES,
    description: "auto, bubblewrap or none (default auto: commands of a model run only in bubblewrap)",
  },
  "sandbox-read": {
    value: "<dir>",
    repeatable: true,
    description:
      "let commands read this directory, such as a toolchain; if it or its bin holds programs, it goes on their PATH; repeatable",
  },
  "accept-host-network": {
    description: "let a model's commands with `network: open` reach this machine's own servers",
  },
} as const satisfies Record<string, FlagSpec>;

/** Flags that belong to run, serve and mcp alike. */
export const SHARED_FLAGS = {
  "state-dir": {
    value: "<path>",
    description: "keep sessions here, in sessions.db and sessions/*.json (default: in memory)",
  },
  "database-url": {
    value: "<url>",
    description:
      "keep sessions in PostgreSQL, which several servers can share (default: ABEVAL_DATABASE_URL, which may hold the password)",
  },
  ...SANDBOX_FLAGS,
  "agents-dir": {
    value: "<path>",
    description:
      "find the installs that scenarios name (agents, MCP servers) here, each in its own directory (or ABEVAL_AGENTS_DIR)",
  },
  "images-dir": {
    value: "<path>",
    description:
      "find the images that scenarios name by digest here: OCI layouts, archives of docker save (or ABEVAL_IMAGES_DIR)",
  },
  "allow-endpoint": {
    value: "<host[:port]>",
    repeatable: true,
    description:
      "let arms with `endpoint` ask this host; a server asks no others, `abeval run` needs it for http beyond this machine; repeatable",
  },
  prices: {
    value: "<file>",
    description:
      "read the prices of models from this YAML file: <provider>/<model>: {in: 3, out: 15, cached_in: 0.3}, USD per million tokens; others have the list prices of their providers",
  },
  replay: {
    value: "<dir>",
    description:
      "take providers' replies from recordings in this directory; needs no key, calls no provider (or ABEVAL_CASSETTES)",
  },
  "replay-strict": { description: "with --replay: fail when a run does not make every recorded request" },
  "live-judge": { description: "with --replay: replay only the arms, and ask the judge" },
  "keep-workspaces": { description: "keep each arm's files on disk and print where" },
} as const satisfies Record<string, FlagSpec>;

/** Flags of what ends with a result that somebody waits for. */
export const NOTIFY_FLAGS = {
  notify: {
    value: "<url>",
    description:
      "post the result and a link to this webhook (https), as Slack takes it; the address is a secret, so better set ABEVAL_NOTIFY_URL",
  },
  link: {
    value: "<url>",
    description: "with --notify: the link; {id} stands for the id of the result (default: the page of the CI job)",
  },
} as const satisfies Record<string, FlagSpec>;

type SharedArguments = Pick<ParsedArguments<keyof typeof SHARED_FLAGS>, "value" | "values" | "has">;

/** What these flags say, as given; where one is absent, a variable of the environment may decide. */
export type SharedSettings = Awaited<ReturnType<typeof sharedSettings>>;

/** @throws Failure `invalid_request` with the mistakes of the file of prices */
export const sharedSettings = async ({ value, values, has }: SharedArguments) => ({
  state_dir: value("state-dir"),
  database: databaseSettings(value("database-url")),
  sandbox: { mode: value("sandbox"), accept_host_network: has("accept-host-network"), read: values("sandbox-read") },
  agents_dir: value("agents-dir"),
  images_dir: value("images-dir"),
  allow_endpoints: values("allow-endpoint"),
  prices: await readPrices(value("prices")),
  recordings: { replay: value("replay"), strict: has("replay-strict"), live_judge: has("live-judge") },
  keep_workspaces: has("keep-workspaces"),
});

export const databaseSettings = (url: string | undefined) => ({
  url,
  lease_s: LEASE.default,
  max_queued: MAX_WAITING,
});

async function readPrices(path: string | undefined): Promise<PriceList> {
  if (path === undefined) return NO_PRICES;
  const { loadPriceList } = await import("../../../comparison/scenario/parse-scenario.ts");
  return await loadPriceList(path);
}

/** Seconds after which a process that gives no sign of life counts as dead. */
const LEASE = { default: 30, min: 10, max: 300 };

/** Runs that may wait on all servers together: a suite of some hundred must fit. */
const MAX_WAITING = 1_000;

/** Flags of serve and mcp, which run scenarios that somebody else may have put there. */
export const SERVER_FLAGS = {
  ...SHARED_FLAGS,
  lease: {
    value: "<seconds>",
    range: { min: LEASE.min, max: LEASE.max },
    description: `with a database: treat a process without a sign of life for this long as dead (default ${LEASE.default})`,
  },
  "max-queued": {
    value: "<n>",
    range: { min: 1, max: 1_000_000 },
    description: `with a database: let this many runs wait, on all servers together (default ${MAX_WAITING})`,
  },
  "allow-git-fixtures": {
    description: "let fixtures and prompts come from the git repository around the scenarios",
  },
  "max-cost-per-day": {
    value: "<usd>",
    usd: true,
    description:
      "refuse a run that could raise the UTC day's cost above this; all processes that share the sessions count, also after a restart",
  },
} as const satisfies Record<string, FlagSpec>;

type ServerArguments = Omit<ParsedArguments<keyof typeof SERVER_FLAGS | "scenarios-dir">, "parameters" | "given">;

/** What these flags say. @throws Failure as `sharedSettings` does */
export async function serverSettings(args: ServerArguments) {
  const { database, ...shared } = await sharedSettings(args);
  return {
    ...shared,
    database: {
      ...database,
      lease_s: args.integer("lease") ?? database.lease_s,
      max_queued: args.integer("max-queued") ?? database.max_queued,
    },
    scenarios_dir: args.value("scenarios-dir") ?? "scenarios",
    max_cost_per_day_usd: args.usd("max-cost-per-day"),
    git_fixtures: args.has("allow-git-fixtures"),
    max_queued: MAX_QUEUED,
  };
}
