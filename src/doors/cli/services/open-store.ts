import { systemClock, systemEntropy } from "../../../runtime/clock.ts";
import { ON_BUN } from "../../../runtime/on-bun.ts";
import { version } from "../../../runtime/version.ts";
import { memoryStore } from "../../../store/memory.ts";
import type { SharedStore } from "../../../store/shared-store.ts";
import type { HearLost, SessionStore } from "../../../store/store.ts";
import { UsageError } from "../flags/parse-arguments.ts";
import type { SharedSettings } from "../flags/service-flags.ts";

interface StorePlace {
  readonly state_dir: string | undefined;
  readonly after?: string | undefined;
  readonly database: DatabasePlace | undefined;
  readonly lost?: HearLost | undefined;
}

export interface OpenedStore extends AsyncDisposable {
  readonly store: SessionStore;
  /** The same one where several processes share the work; absent: they do not. */
  readonly shared?: SharedStore;
}

/**
 * SQLite is loaded only with a state directory, PostgreSQL only with a database.
 * @throws Failure `storage_failed` or `storage_full` when the place cannot be used, UsageError without Bun.
 */
export async function openStore({ state_dir, after, database, lost }: StorePlace): Promise<OpenedStore> {
  if (database) return await openDatabase(database, lost);
  const store = await openOwn({ state_dir, after, lost });
  return { store, [Symbol.asyncDispose]: async () => store[Symbol.dispose]() };
}

async function openOwn({ state_dir, after, lost }: Omit<StorePlace, "database">): Promise<SessionStore> {
  if (state_dir === undefined) return memoryStore();
  if (!ON_BUN)
    throw new UsageError("--state-dir needs Bun, which has the database; without it sessions stay in memory");
  const { sqliteStore } = await import("../../../store/sqlite/sqlite-store.ts");
  return sqliteStore(state_dir, systemClock, systemEntropy, { after, lost });
}

async function openDatabase({ url, ...limits }: DatabasePlace, lost: HearLost | undefined): Promise<OpenedStore> {
  if (!ON_BUN)
    throw new UsageError("--database-url needs Bun, which has the driver; without it sessions stay in memory");
  const { openSharedStore } = await import("../../../store/postgres/postgres-store.ts");
  const parts = { clock: systemClock, entropy: systemEntropy, version, ...(lost && { lost }) };
  const store = await openSharedStore(url, { ...parts, ...limits });
  return { store, shared: store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

interface DatabasePlace extends Omit<SharedSettings["database"], "url"> {
  /** The address with its password. */
  readonly url: string;
  /** The address for notifications, where `url` leads to a pooler. */
  readonly listen_url: string | undefined;
}

/**
 * The database that keeps the sessions; undefined when none does.
 * @throws UsageError for a password that every user of the machine could read, and beside a state directory
 */
export function databasePlace(
  environment: Readonly<Record<string, string | undefined>>,
  settings: SharedSettings["database"] | null,
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
