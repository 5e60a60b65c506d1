import { expect, test } from "bun:test";
import { mkdtempDisposable, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileChunks } from "../../src/runtime/bounded-file.ts";
import { strictText } from "../../src/runtime/strict-text.ts";

const refuse = (bytes?: number) => new Error(bytes === undefined ? "no file" : `more than allowed: ${bytes}`);

const read = async (path: string, most: number) =>
  Buffer.concat(await Array.fromAsync(fileChunks(path, { most, refuse, no_link: true }))).toString();

test("a file is read up to its limit, and one byte more is refused with the size", async () => {
  await using home = await mkdtempDisposable(join(tmpdir(), "abeval-file-"));
  const path = join(home.path, "it");
  await writeFile(path, "x".repeat(100_000));
  expect(await read(path, 100_000)).toBe("x".repeat(100_000));
  expect(read(path, 99_999)).rejects.toThrow("more than allowed: 100000");
});

test("a file that is longer than it says ends at the limit all the same", async () => {
  expect(read("/proc/self/maps", 100)).rejects.toThrow("more than allowed");
});

test("neither a directory nor a link is read", async () => {
  await using home = await mkdtempDisposable(join(tmpdir(), "abeval-file-"));
  const link = join(home.path, "link");
  await symlink("/etc/hostname", link);
  expect(read(home.path, 100)).rejects.toThrow("no file");
  expect(read(link, 100)).rejects.toThrow("ELOOP");
});

test("a byte order mark is left out of a text, or kept where bytes must come back as they were", () => {
  const marked = Buffer.from("\ufeffa");
  expect([strictText(marked), strictText(marked, "with mark")]).toEqual(["a", "\ufeffa"]);
  expect(strictText(Uint8Array.of(0x61, 0xff))).toBeUndefined();
});
