import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { anOutcome } from "../outcomes.ts";
import { begin, COMPLETED } from "../stored.ts";
import { temporaryDirectory } from "../temporary.ts";

const ID = "session-sample-20260102T030405000Z";

const LOST = {
  ...{ code: "storage_failed", retryable: true },
  details: { why: expect.stringContaining("was removed") },
};

test("nothing is taken as stored when the state directory is removed, though another is made in its place", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "state");
  using store = sqliteStore(path, systemClock, systemEntropy);
  const run = await begin(store, anOutcome(ID, { state: "running" }));
  store.demandPlace?.();
  rmSync(path, { recursive: true });
  await expect(store.append(run, [COMPLETED], "durable")).rejects.toMatchObject(LOST);
  expect(() => store.demandPlace?.()).toThrow("start the server again");
  expect(await store.read(ID)).toHaveLength(1);
  using _another = sqliteStore(path, systemClock, systemEntropy);
  await expect(store.append(run, [COMPLETED], "durable")).rejects.toMatchObject(LOST);
});
