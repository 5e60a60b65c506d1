import { type FlagSpec, UsageError } from "./arguments.ts";

/** Seconds after which a process that gives no sign of life counts as dead. */
const LEASE = { default: 30, min: 10, max: 300 };

/** For run, serve and mcp. */
export const DATABASE_FLAG = {
  "database-url": {
    value: "<url>",
    description:
      "keep sessions in PostgreSQL, shared by any number of servers; default: ABEVAL_DATABASE_URL, which may hold the password",
  },
} as const satisfies Record<string, FlagSpec>;

/** Runs that may wait on all servers together: a suite of some hundred must fit. */
const MAX_WAITING = 1_000;

/** For servers that share the work. */
export const SHARING_FLAGS = {
  lease: {
    value: "<seconds>",
    range: { min: LEASE.min, max: LEASE.max },
    description: `with a database: a process that gives no sign of life for so long is dead (default ${LEASE.default})`,
  },
  "max-queued": {
    value: "<n>",
    range: { min: 1, max: 1_000_000 },
    description: `with a database: runs that may wait, on all servers together (default ${MAX_WAITING})`,
  },
} as const satisfies Record<string, FlagSpec>;

export interface DatabaseSettings {
  readonly url: string | undefined;
  readonly lease_s: number;
  readonly max_queued: number;
}

interface DatabaseArguments {
  value(flag: "database-url"): string | undefined;
}

interface LeaseArguments {
  integer(flag: "lease" | "max-queued"): number | undefined;
}

export const databaseSettings = (args: DatabaseArguments, limits?: LeaseArguments): DatabaseSettings => ({
  url: args.value("database-url"),
  lease_s: limits?.integer("lease") ?? LEASE.default,
  max_queued: limits?.integer("max-queued") ?? MAX_WAITING,
});

export interface DatabasePlace extends Omit<DatabaseSettings, "url"> {
  /** With the password. */
  readonly url: string;
  /** For notifications, where `url` leads to a pooler. */
  readonly listen_url: string | undefined;
}

/**
 * Where the sessions are kept in a database; undefined: they are not.
 * @throws UsageError for a password that every user of the machine could read, and beside a state directory
 */
export function databasePlace(
  environment: Readonly<Record<string, string | undefined>>,
  settings: DatabaseSettings | null,
  state_dir: string | undefined,
): DatabasePlace | undefined {
  if (settings === null) return undefined;
  const { url: given, ...limits } = settings;
  const url = given ?? environment["ABEVAL_DATABASE_URL"];
  if (!url) return undefined;
  if (state_dir !== undefined)
    throw new UsageError(
      `--state-dir and ${given === undefined ? "ABEVAL_DATABASE_URL" : "--database-url"} name two places for the sessions: leave one out`,
    );
  if (given !== undefined && holdsPassword(given))
    throw new UsageError(
      "--database-url holds a password, which every user of this machine can read: put the URL into ABEVAL_DATABASE_URL, or the password into PGPASSWORD",
    );
  const withPassword = passwordAdded(environment["PGPASSWORD"]);
  const listen_url = environment["ABEVAL_DATABASE_LISTEN_URL"];
  return { ...limits, url: withPassword(url), listen_url: listen_url && withPassword(listen_url) };
}

function holdsPassword(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.password !== "" || url.searchParams.has("password"));
}

const passwordAdded = (password: string | undefined) => (text: string) => {
  const url = URL.parse(text);
  if (!password || url === null || url.password !== "") return text;
  url.password = encodeURIComponent(password);
  return url.href;
};
