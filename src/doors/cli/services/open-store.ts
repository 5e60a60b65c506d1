import { systemClock, systemEntropy } from "../../../runtime/clock.ts";
import { ON_BUN } from "../../../runtime/on-bun.ts";
import { version } from "../../../runtime/version.ts";
import { memoryStore } from "../../../store/memory.ts";
import type { SharedStore } from "../../../store/shared-store.ts";
import type { SessionStore } from "../../../store/store.ts";
import { UsageError } from "../flags/arguments.ts";
import type { DatabasePlace } from "../flags/database-flags.ts";

interface StorePlace {
  readonly state_dir: string | undefined;
  readonly database: DatabasePlace | undefined;
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
export async function openStore({ state_dir, database }: StorePlace): Promise<OpenedStore> {
  if (database) return await openDatabase(database);
  const store = await openOwn(state_dir);
  return { store, [Symbol.asyncDispose]: async () => store[Symbol.dispose]() };
}

async function openOwn(state_dir: string | undefined): Promise<SessionStore> {
  if (state_dir === undefined) return memoryStore();
  if (!ON_BUN)
    throw new UsageError("--state-dir needs Bun, which has the database; without it sessions stay in memory");
  const { sqliteStore } = await import("../../../store/sqlite/sqlite-store.ts");
  return sqliteStore(state_dir, systemClock, systemEntropy);
}

async function openDatabase({ url, ...limits }: DatabasePlace): Promise<OpenedStore> {
  if (!ON_BUN)
    throw new UsageError("--database-url needs Bun, which has the driver; without it sessions stay in memory");
  const { openSharedStore } = await import("../../../store/postgres/shared-store.ts");
  const store = await openSharedStore(url, { clock: systemClock, entropy: systemEntropy, version, ...limits });
  return { store, shared: store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}
