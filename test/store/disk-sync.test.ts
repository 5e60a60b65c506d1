import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DiskSync } from "../../src/store/sqlite/disk-sync.ts";
import { temporaryDirectory } from "../temporary.ts";

/** A disk that answers when it is told to. */
function slowDisk() {
  const waiting: ((error: Error | null) => void)[] = [];
  return {
    sync: (_descriptor: number, done: (error: Error | null) => void) => void waiting.push(done),
    get syncs() {
      return waiting.length;
    },
    answer: (error: Error | null = null) => waiting.at(-1)?.(error),
  };
}

function aFile() {
  const directory = temporaryDirectory();
  const path = join(directory.path, "log");
  writeFileSync(path, "written");
  return { path, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("whoever asks while the disk is busy waits for a sync that begins afterwards, one for all of them", async () => {
  using file = aFile();
  const disk = slowDisk();
  using log = new DiskSync(file.path, disk.sync);
  const ended: string[] = [];
  const ask = (name: string) => log.sync().then(() => ended.push(name));
  const all = [ask("first"), ask("second"), ask("third")];
  await turn();
  expect(disk.syncs).toBe(1);
  disk.answer();
  await turn();
  expect([disk.syncs, ended]).toEqual([2, ["first"]]);
  disk.answer();
  await Promise.all(all);
  expect([disk.syncs, ended]).toEqual([2, ["first", "second", "third"]]);
});

test("a disk that fails fails those who waited for it, and not those who ask later", async () => {
  using file = aFile();
  const disk = slowDisk();
  using log = new DiskSync(file.path, disk.sync);
  const first = log.sync();
  const second = log.sync();
  disk.answer(new Error("broken"));
  await expect(first).rejects.toThrow("broken");
  await turn();
  disk.answer();
  await second;
});

test("closing lets a sync that runs end, and begins no other", async () => {
  using file = aFile();
  const disk = slowDisk();
  const log = new DiskSync(file.path, disk.sync);
  const answers = Promise.allSettled([log.sync(), log.sync()]);
  log[Symbol.dispose]();
  log[Symbol.dispose]();
  disk.answer();
  expect((await answers).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect(disk.syncs).toBe(1);
});

test("a file is synced for real", async () => {
  using file = aFile();
  using log = new DiskSync(file.path);
  await log.sync();
});
