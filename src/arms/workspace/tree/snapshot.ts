import type { Identity, TreeEntry } from "./walk.ts";

/**
 * Nanoseconds before the newest file of a snapshot in which a later write may have left the same ctime: kernels before
 * 6.13 count time in ticks of up to 10 ms. Such files are compared by content (as git does, "racily clean").
 */
const RACY_NS = 20_000_000n;

/** Which file stood at which path when a copy was made: what still has its identity still has its bytes. */
export class Snapshot {
  readonly #identities: ReadonlyMap<string, Identity>;
  readonly #racyFrom: bigint;

  constructor(entries: readonly TreeEntry[]) {
    this.#identities = new Map(entries.map((entry) => [entry.path, entry.identity]));
    let newest = 0n;
    for (const { identity } of entries) if (identity.ctime > newest) newest = identity.ctime;
    this.#racyFrom = newest - RACY_NS;
  }

  /** True is certain; false means that only the bytes can tell. */
  surelyUnchanged({ path, identity }: TreeEntry): boolean {
    const then = this.#identities.get(path);
    return then?.inode === identity.inode && then.ctime === identity.ctime && identity.ctime < this.#racyFrom;
  }
}

/** Knows nothing, so that everything is compared by content. */
export const NO_SNAPSHOT = new Snapshot([]);
