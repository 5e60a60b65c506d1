import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { SessionStore } from "../../src/store/store.ts";
import { temporaryDirectory } from "../temporary.ts";

export interface OpenedStore extends AsyncDisposable {
  readonly store: SessionStore;
}

/** Every store that needs no server; `test/scale/stores.ts` has another in their place. */
export const STORES: (readonly [name: string, open: () => Promise<OpenedStore>])[] = [
  ["memory", async () => ({ store: memoryStore(), [Symbol.asyncDispose]: async () => undefined })],
  [
    "sqlite",
    async () => {
      const directory = temporaryDirectory();
      const store = sqliteStore(directory.path, systemClock, systemEntropy);
      return {
        store,
        async [Symbol.asyncDispose]() {
          store[Symbol.dispose]();
          directory[Symbol.dispose]();
        },
      };
    },
  ],
];
