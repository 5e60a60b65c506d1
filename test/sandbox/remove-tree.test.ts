import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeTree } from "../../src/arms/sandbox/temp-dir.ts";
import { LINUX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";

/** It removes nothing. */
const IDLE = { program: "/bin/true" };

/** A tree that `fill` has filled, beside a directory that must stay. */
function aTree(fill: (tree: string, beside: string) => void) {
  const directory = temporaryDirectory();
  const [tree, beside] = [join(directory.path, "tree"), join(directory.path, "beside")];
  mkdirSync(tree);
  mkdirSync(beside);
  writeFileSync(join(beside, "kept"), "");
  fill(tree, beside);
  return { tree, beside, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

testNeeding(LINUX)("a small tree needs no program, and what its links lead to stays", async () => {
  using found = aTree((tree, beside) => {
    mkdirSync(join(tree, "a/b"), { recursive: true });
    writeFileSync(join(tree, "a/b/c"), "c");
    for (const name of ["link", "a/link"]) symlinkSync(beside, join(tree, name));
  });
  await removeTree(found.tree, IDLE);
  expect(existsSync(found.tree)).toBe(false);
  expect(readdirSync(found.beside)).toEqual(["kept"]);
});

const LARGE: Readonly<Record<string, (tree: string, beside: string) => void>> = {
  "many names": (tree) => {
    for (let n = 0; n < 1_000; n += 1) writeFileSync(join(tree, String(n)), "");
  },
  "many levels": (tree) => mkdirSync(join(tree, "a/".repeat(40)), { recursive: true }),
  "many bytes": (tree) => writeFileSync(join(tree, "a"), new Uint8Array(17 * 1024 * 1024)),
};

testNeeding(LINUX)("what would keep others waiting is left to a program", async () => {
  for (const fill of Object.values(LARGE)) {
    using found = aTree(fill);
    await removeTree(found.tree, IDLE);
    expect(existsSync(found.tree)).toBe(true);
    await removeTree(found.tree);
    expect(existsSync(found.tree)).toBe(false);
  }
});

test("a link in the place of a tree is removed, and not what it leads to", async () => {
  using found = aTree((tree, beside) => symlinkSync(beside, `${tree}-link`));
  await removeTree(`${found.tree}-link`);
  expect(existsSync(`${found.tree}-link`)).toBe(false);
  expect(readdirSync(found.beside)).toEqual(["kept"]);
});
