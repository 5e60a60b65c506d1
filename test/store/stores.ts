import { systemClock, systemEntropy } from "../../src/clock.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { SessionStore } from "../../src/store/store.ts";
import { temporaryDirectory } from "../temporary.ts";

export interface OpenedStore extends Disposable {
  readonly store: SessionStore;
}

/** Every store that there is. */
export const STORES: readonly (readonly [name: string, open: () => OpenedStore])[] = [
  ["memory", () => ({ store: memoryStore(), [Symbol.dispose]: () => undefined })],
  [
    "sqlite",
    () => {
      const directory = temporaryDirectory();
      const store = sqliteStore(directory.path, systemClock, systemEntropy);
      return {
        store,
        [Symbol.dispose]() {
          store[Symbol.dispose]();
          directory[Symbol.dispose]();
        },
      };
    },
  ],
];
