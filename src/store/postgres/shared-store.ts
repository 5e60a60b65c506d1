import { PostgresMaterials } from "./postgres-materials.ts";
import { type PostgresOptions, postgresStore } from "./postgres-store.ts";
import { PostgresWorkers } from "./postgres-workers.ts";
import { openQueue } from "./queue.ts";

export interface SharedStoreOptions extends PostgresOptions {
  /** How much may wait, over all servers. */
  readonly max_queued: number;
}

/** As `postgresStore`, with the work that its processes share. @throws Failure as `postgresStore` */
export async function openSharedStore(url: string, options: SharedStoreOptions) {
  const { clock, entropy, lease_s, max_queued } = options;
  const store = await postgresStore(url, options);
  try {
    const { database, flusher, me } = store;
    const workers = store.use(new PostgresWorkers(database, me));
    const queue = store.use(await openQueue({ database, flusher, clock, me, lease_s, max_queued }));
    const materials = store.use(new PostgresMaterials(database, entropy));
    return Object.assign(store, { workers, queue, materials });
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
}
