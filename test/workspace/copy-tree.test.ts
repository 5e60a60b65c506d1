import { expect, test } from "bun:test";
import { existsSync, linkSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TreeTooLarge } from "../../src/arms/workspace/io-failure.ts";
import { copyTree } from "../../src/arms/workspace/tree/copy-tree.ts";
import { Directory, ROOMY } from "./harness.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test.each(["directories", "links"])("others run while thousands of %s are copied", async (what) => {
  using directory = new Directory({}, ROOMY);
  const from = join(directory.path, "from");
  mkdirSync(from);
  for (let n = 0; n < 3_000; n += 1) {
    if (what === "links") symlinkSync("nowhere", join(from, `${n}`));
    else mkdirSync(join(from, `${n}`));
  }
  let turns = 0;
  let over = false;
  const others = (async () => {
    for (; !over; turns += 1) await turn();
  })();
  const copied = await copyTree({ from, to: join(directory.path, "to"), owner: null, made_by: "arm" });
  over = true;
  await others;
  expect(copied.length).toBe(3_000);
  // One for each batch, and those of the walk before it.
  expect(turns).toBeGreaterThan(15);
});

test("a copy that failed copies nothing more", async () => {
  using directory = new Directory({}, ROOMY);
  const [from, to] = [join(directory.path, "from"), join(directory.path, "to")];
  mkdirSync(from);
  for (let n = 0; n < 2_000; n += 1) writeFileSync(join(from, `file-${n}`), "text");
  symlinkSync("/etc/passwd", join(from, "a-link"));
  const copying = copyTree({ from, to, owner: null, made_by: "author" });
  await expect(copying).rejects.toThrow("a-link: links out of the fixture");
  const left = readdirSync(to).length;
  for (let n = 0; n < 20; n += 1) await turn();
  expect(readdirSync(to).length).toBe(left);
  expect(left).toBeLessThan(2_000);
});

test("a copy of an arm's work ends at its deadline, wherever it is", async () => {
  using directory = new Directory({}, ROOMY);
  const from = join(directory.path, "from");
  mkdirSync(from);
  for (let n = 0; n < 2_000; n += 1) writeFileSync(join(from, `file-${n}`), "text");
  const to = join(directory.path, "to");
  const isLate = () => existsSync(join(to, "file-0"));
  const copying = copyTree({ from, to, owner: null, made_by: "arm", isLate });
  await expect(copying).rejects.toThrow(TreeTooLarge);
  expect(readdirSync(to).length).toBeLessThan(2_000);
});

test("names of a file whose first name cannot be copied stay names of one file", async () => {
  using directory = new Directory();
  const [from, to] = [join(directory.path, "from"), join(directory.path, `to-${"x".repeat(100)}`)];
  // As deep as a path may lie: the copy lies deeper.
  const deep = join(from, ...Array.from({ length: 40 }, () => "a".repeat(99)));
  mkdirSync(deep, { recursive: true });
  const first = join(deep, "a".repeat(4_080 - deep.length));
  writeFileSync(first, "text");
  for (const name of ["b", "c", "d"]) linkSync(first, join(from, name));
  await copyTree({ from, to, owner: null, made_by: "arm" });
  const copies = ["b", "c", "d"].map((name) => statSync(join(to, name)));
  expect(copies.map(({ nlink }) => nlink)).toEqual([3, 3, 3]);
});
