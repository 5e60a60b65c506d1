import { expect, test } from "bun:test";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { temporaryDirectory } from "../temporary.ts";

const open = (path: string) => sqliteStore(path, systemClock, systemEntropy);

const DAY = "2026-01-02";

test("processes on one directory share the money of a day, and a restart does not give it back", async () => {
  using directory = temporaryDirectory();
  {
    using first = open(directory.path);
    using second = open(directory.path);
    expect(await first.ledger.reserve({ id: "a", day: DAY, usd: 6 }, 10)).toBeUndefined();
    expect(await second.ledger.reserve({ id: "b", day: DAY, usd: 6 }, 10)).toEqual({ spent: 0, reserved: 6 });
    await first.ledger.settle({ id: "a", day: DAY, usd: 4 });
    expect(await second.ledger.reserve({ id: "b", day: DAY, usd: 6 }, 10)).toBeUndefined();
    await second.ledger.settle({ id: "b", day: DAY, usd: 5 });
  }
  using later = open(directory.path);
  expect(await later.ledger.reserve({ id: "c", day: DAY, usd: 2 }, 10)).toEqual({ spent: 9, reserved: 0 });
});

test("what a process had set aside that was killed counts as spent on that day, and blocks no other", async () => {
  using directory = temporaryDirectory();
  const program = `
    const { sqliteStore } = await import(${JSON.stringify(require.resolve("../../src/store/sqlite/sqlite-store.ts"))});
    const { systemClock, systemEntropy } = await import(${JSON.stringify(require.resolve("../../src/runtime/clock.ts"))});
    const store = sqliteStore(${JSON.stringify(directory.path)}, systemClock, systemEntropy);
    await store.ledger.reserve({ id: "killed", day: "${DAY}", usd: 7 }, 10);
    process.kill(process.pid, "SIGKILL");`;
  using living = open(directory.path);
  await Bun.spawn([process.execPath, "-e", program], { stdout: "ignore", stderr: "ignore" }).exited;
  // Found out when it would stand in somebody's way, without a restart.
  expect(await living.ledger.reserve({ id: "x", day: "2026-01-03", usd: 4 }, 10)).toBeUndefined();
  await living.ledger.settle({ id: "x", day: "2026-01-03", usd: 0 });
  expect(await living.ledger.reserve({ id: "y", day: DAY, usd: 4 }, 10)).toEqual({ spent: 7, reserved: 0 });
});
