import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TarEntry, tar } from "../../release/tar.ts";
import { temporaryDirectory } from "../temporary.ts";

const MTIME_S = 1_700_000_000;
const LONG = `${"folder/".repeat(15)}${"n".repeat(90)}.txt`;
const FILES: readonly TarEntry[] = [
  { path: "b.txt", bytes: Buffer.from("bee") },
  { path: "a/run", bytes: Buffer.from("#!/bin/sh\n"), executable: true },
  { path: "empty", bytes: new Uint8Array() },
  { path: "block", bytes: new Uint8Array(512).fill(7) },
  { path: LONG, bytes: Buffer.from("long") },
];

test("the same files give the same bytes, in whatever order they come", () => {
  expect(tar(FILES, MTIME_S)).toEqual(tar(FILES.toReversed(), MTIME_S));
});

test("the system's tar reads it back: bytes, modes and times", () => {
  using directory = temporaryDirectory();
  const [archive, out] = [join(directory.path, "x.tar"), join(directory.path, "out")];
  writeFileSync(archive, tar(FILES, MTIME_S));
  mkdirSync(out);
  expect(Bun.spawnSync(["tar", "-xf", archive, "-C", out]).exitCode).toBe(0);
  const read = FILES.map(({ path }) => {
    const { mode, mtimeMs } = statSync(join(out, path));
    return { path, bytes: new Uint8Array(readFileSync(join(out, path))), executable: (mode & 0o100) !== 0, mtimeMs };
  });
  expect(read).toEqual(
    FILES.map(({ path, bytes, executable }) => ({
      path,
      bytes: new Uint8Array(bytes),
      executable: executable === true,
      mtimeMs: MTIME_S * 1000,
    })),
  );
});

test("a path that the format cannot hold is refused by name", () => {
  const path = "n".repeat(101);
  expect(() => tar([{ path, bytes: new Uint8Array() }], MTIME_S)).toThrow(`${path}: the path is too long`);
});
