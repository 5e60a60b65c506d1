import { expect, test } from "bun:test";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { anOutcome } from "../outcomes.ts";
import { begin, COMPLETED } from "../stored.ts";
import { temporaryDirectory } from "../temporary.ts";

const ID = "session-sample-20260102T030405000Z";

const LOST = {
  ...{ code: "storage_failed", retryable: true },
  details: { why: expect.stringContaining("removed or moved") },
};

test("nothing is taken as stored while the state directory is gone, and all goes on when it is back", async () => {
  using directory = temporaryDirectory();
  const [path, aside] = [join(directory.path, "state"), join(directory.path, "aside")];
  using store = sqliteStore(path, systemClock, systemEntropy);
  const run = await begin(store, anOutcome(ID, { state: "running" }));
  renameSync(path, aside);
  await expect(store.append(run, [COMPLETED], "durable")).rejects.toMatchObject(LOST);
  expect(() => store.demandPlace?.()).toThrow("put it back");
  expect(await store.read(ID)).toHaveLength(1);
  renameSync(aside, path);
  store.demandPlace?.();
  await store.append(run, [COMPLETED], "durable");
  expect(await store.list()).toMatchObject([{ session_id: ID, state: "completed" }]);
});

test("a directory that another one replaced is as one that is gone", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "state");
  using store = sqliteStore(path, systemClock, systemEntropy);
  rmSync(path, { recursive: true });
  mkdirSync(path);
  await expect(begin(store, anOutcome(ID, { state: "running" }))).rejects.toMatchObject(LOST);
  using _another = sqliteStore(path, systemClock, systemEntropy);
  await expect(begin(store, anOutcome(ID, { state: "running" }))).rejects.toMatchObject(LOST);
});
