import { expect, test } from "bun:test";
import { statSync, utimesSync, writeFileSync } from "node:fs";
import { rename, symlink } from "node:fs/promises";
import { fileFingerprint, treeFingerprint } from "../../src/comparison/scenario/scenario-catalog.ts";
import { scenarioFolder } from "./scenario-folder.ts";

test("a tree with too many files has no fingerprint", async () => {
  await using folder = await scenarioFolder({ "fix/a.txt": "a", "fix/deep/b.txt": "b" });
  const tree = folder.path("fix"); // itself, a.txt, deep, b.txt
  expect(await treeFingerprint([tree], 3)).toBeUndefined();
  const before = await treeFingerprint([tree], 4);
  expect(before).toBe(await treeFingerprint([tree]));
  await folder.write("fix/deep/b.txt", "c");
  expect(await treeFingerprint([tree], 4)).not.toBe(before);
});

test("a file that is rewritten at its old length and given its old times has another fingerprint", async () => {
  await using folder = await scenarioFolder({ "a.txt": "one" });
  const file = folder.path("a.txt");
  const old = new Date("2026-01-02T03:04:05Z");
  utimesSync(file, old, old);
  const before = fileFingerprint(file);
  const { ctimeNs } = statSync(file, { bigint: true });
  // Until the clock of the file system has gone on.
  while (statSync(file, { bigint: true }).ctimeNs === ctimeNs) {
    writeFileSync(file, "two");
    utimesSync(file, old, old);
  }
  const { size, mtime } = statSync(file);
  expect([size, mtime]).toEqual([3, old]);
  expect(fileFingerprint(file)).not.toBe(before);
});

test("a link has another fingerprint when the file that it leads to is replaced", async () => {
  await using folder = await scenarioFolder({ "a.txt": "one", "b.txt": "two" });
  await symlink(folder.path("a.txt"), folder.path("link.txt"));
  const before = fileFingerprint(folder.path("link.txt"));
  await rename(folder.path("b.txt"), folder.path("a.txt"));
  expect(fileFingerprint(folder.path("link.txt"))).not.toBe(before);
});
