import { describe, expect, test } from "bun:test";
import { readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { PATCH_BYTES } from "../../src/domain/defaults.ts";
import type { Changes } from "../../src/domain/evidence.ts";
import { sha256 } from "../../src/domain/sha256.ts";
import { Directory, never, openFixture, shell } from "./harness.ts";

type Tree = Readonly<Record<string, string>>;

/** The changes between two trees, made by a command that copies the second over the first. */
async function changesBetween(before: Tree, after: Tree): Promise<Changes> {
  await using pristine = openFixture(before);
  await using workspace = pristine.open();
  for (const path of Object.keys(before)) if (!(path in after)) await workspace.remove(path);
  for (const [path, text] of Object.entries(after)) if (before[path] !== text) await workspace.writeText(path, text);
  return await workspace.changes();
}

test("an arm that changed nothing has no changes, and no file on disk", async () => {
  await using pristine = openFixture({ "a.txt": "a\n" });
  await using workspace = pristine.open();
  expect([await workspace.changes(), await workspace.altered(["**"]), workspace.location]).toEqual([
    { files: [], patch: "", digest: new Bun.CryptoHasher("sha256").digest("hex"), truncated: false },
    [],
    null,
  ]);
});

test("added, modified and deleted files, sorted by path, with their text and a git patch", async () => {
  const { digest, ...changes } = await changesBetween(
    { "b.txt": "one\ntwo\n", "c.txt": "gone\n", "same.txt": "same\n" },
    { "a.txt": "new\n", "b.txt": "one\n2\n", "same.txt": "same\n" },
  );
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(changes).toEqual({
    truncated: false,
    files: [
      { path: "a.txt", status: "added", added: 1, removed: 0, binary: false, before: null, after: "new\n" },
      {
        path: "b.txt",
        status: "modified",
        added: 1,
        removed: 1,
        binary: false,
        before: "one\ntwo\n",
        after: "one\n2\n",
      },
      { path: "c.txt", status: "deleted", added: 0, removed: 1, binary: false, before: "gone\n", after: null },
    ],
    patch: [
      "diff --git a/a.txt b/a.txt",
      "new file mode 100644",
      "--- /dev/null",
      "+++ b/a.txt",
      "@@ -0,0 +1,1 @@",
      "+new",
      "diff --git a/b.txt b/b.txt",
      "--- a/b.txt",
      "+++ b/b.txt",
      "@@ -1,2 +1,2 @@",
      " one",
      "-two",
      "+2",
      "diff --git a/c.txt b/c.txt",
      "deleted file mode 100644",
      "--- a/c.txt",
      "+++ /dev/null",
      "@@ -1,1 +0,0 @@",
      "-gone",
      "",
    ].join("\n"),
  });
});

describe.each([
  ["git apply", ["git", "apply", "--whitespace=nowarn"]],
  ["patch -p1", ["patch", "-p1", "--binary", "--quiet", "--no-backup-if-mismatch"]],
])("the patch is taken by %s", (_, command) => {
  test.each<[string, Tree, Tree]>([
    ["text in the middle", { "a.txt": lines(50) }, { "a.txt": lines(50).replace("line 20\n", "line twenty\n") }],
    ["a new last line end", { "a.txt": "one\ntwo" }, { "a.txt": "one\ntwo\n" }],
    ["a lost last line end", { "a.txt": "one\ntwo\n" }, { "a.txt": "one\ntwo" }],
    ["no line end on either side", { "a.txt": "one" }, { "a.txt": "two" }],
    ["carriage returns", { "a.txt": "one\r\ntwo\r\nthree\r\n" }, { "a.txt": "one\r\n2\r\nthree\r\n" }],
    ["a byte order mark", { "a.txt": "\ufeffone\n" }, { "a.txt": "\ufefftwo\n" }],
    ["lines that look like a patch", { "a.txt": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n" }, { "a.txt": "--- a/y\n+++ b/x\n" }],
    ["names with spaces", { "a b.txt": "one\n" }, { "a b.txt": "two\n", "c d.txt": "new\n" }],
    ["directories that come and go", { "old/deep/a.txt": "a\n" }, { "new/deep/a.txt": "a\n" }],
    [
      "several files at once",
      { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" },
      { "a.txt": "A\n", "c.txt": "C\n", "d.txt": "D\n" },
    ],
    ["a file beyond comparing", { "a.txt": lines(3_000) }, { "a.txt": lines(3_000).replaceAll("line", "row") }],
  ])("%s", async (_, before, after) => {
    const { patch } = await changesBetween(before, after);
    expect(applied(command, before, patch)).toEqual(after);
  });
});

test.each<[string, Tree, Tree]>([
  ["names with quotes and line ends", { 'q"\n.txt': "one\n" }, { 'q"\n.txt': "two\n" }],
  ["names beyond ASCII", { "größe.txt": "one\n" }, { "größe.txt": "two\n", "日本.txt": "new\n" }],
  ["an empty file", { "a.txt": "a\n" }, { "a.txt": "a\n", "empty.txt": "" }],
  ["a file made empty", { "a.txt": "a\n" }, { "a.txt": "" }],
])("git apply takes %s", async (_, before, after) => {
  const { patch } = await changesBetween(before, after);
  expect(applied(["git", "apply"], before, patch)).toEqual(after);
});

test("for any two texts, applying the patch to the first gives the second", async () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "", "-- c", "\\ No newline", "\r"), { maxLength: 12 })
    .map((it) => it.join("\n"));
  const pairs = fc.array(fc.tuple(text, text), { minLength: 20, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(pairs, async (some) => {
      const before = Object.fromEntries(some.map(([a], index) => [`${index}.txt`, a]));
      const after = Object.fromEntries(some.map(([, b], index) => [`${index}.txt`, b]));
      const { patch } = await changesBetween(before, after);
      if (patch === "") return;
      expect(applied(["git", "apply", "--whitespace=nowarn"], before, patch)).toEqual(after);
    }),
    { numRuns: 10 },
  );
});

test("a link is shown as a link and never followed", async () => {
  await using pristine = openFixture({ "a.txt": "a\n" });
  await using workspace = pristine.open();
  await workspace.exec(shell("ln -s /etc/passwd link; rm a.txt; ln -s link a.txt"), never);
  const { files, patch } = await workspace.changes();
  expect(files).toEqual([
    {
      path: "a.txt",
      status: "modified",
      added: 1,
      removed: 1,
      binary: false,
      before: "a\n",
      after: "-> link",
      digest: sha256("link"),
    },
    {
      path: "link",
      status: "added",
      added: 1,
      removed: 0,
      binary: false,
      before: null,
      after: "-> /etc/passwd",
      digest: sha256("/etc/passwd"),
    },
  ]);
  expect(patch).toContain("new file mode 120000\n--- /dev/null\n+++ b/link\n@@ -0,0 +1,1 @@\n+/etc/passwd\n");
});

test("binary files are described by hash and size", async () => {
  using fixture = new Directory({ "a.bin": new Uint8Array([0, 1, 255]) });
  await using pristine = openFixture({}, { dir: fixture.path });
  await using workspace = pristine.open();
  await workspace.exec(shell("printf 'a\\000b' > a.bin; printf '\\377' > b.bin"), never);
  const { files, patch, truncated } = await workspace.changes();
  const hash = sha256("a\0b");
  const nothing = { added: 0, removed: 0, binary: true, after: null };
  expect(files).toEqual([
    { path: "a.bin", status: "modified", ...nothing, before: null, digest: hash },
    { path: "b.bin", status: "added", ...nothing, before: null, digest: sha256(new Uint8Array([255])) },
  ]);
  const old = sha256(new Uint8Array([0, 1, 255]));
  expect(patch).toBe(
    `Not shown "a.bin": binary, sha256 ${old}, 3 bytes -> binary, sha256 ${hash}, 3 bytes\n` +
      `Not shown "b.bin": absent -> binary, sha256 ${sha256(new Uint8Array([255]))}, 1 bytes\n`,
  );
  expect(truncated).toBe(false);
});

test("what does not count as work is left out, by the fixture's .gitignore and not the arm's", async () => {
  await using pristine = openFixture({
    ".gitignore": "dist/\n*.log\n!kept.log\n",
    "sub/.gitignore": "/local\n",
    "src.ts": "a\n",
  });
  await using workspace = pristine.open();
  const made = [
    "dist/a",
    "x.log",
    "kept.log",
    "sub/local",
    "local",
    "node_modules/m/i.js",
    "a/__pycache__/b.pyc",
    ".git/config",
  ];
  for (const path of made) await workspace.writeText(path, "x\n");
  await workspace.writeText(".gitignore", "src.ts\nlocal\n");
  await workspace.writeText("src.ts", "b\n");
  const { files } = await workspace.changes();
  const listed = await workspace.list();
  expect(files.map((file) => file.path)).toEqual([".gitignore", "kept.log", "local", "src.ts"]);
  expect(listed.map((file) => file.path)).toEqual([".gitignore", "kept.log", "local", "src.ts", "sub/.gitignore"]);
});

test("a file that became executable, or is so no more, is told beside the files that differ", async () => {
  await using pristine = openFixture({ "a.sh": "a\n", "b.sh": "b\n", "c.sh": "c\n" });
  await pristine.setup([{ run: "chmod 755 b.sh c.sh", timeout_s: 10 }], never);
  await using workspace = pristine.open();
  await workspace.exec(shell("chmod 700 a.sh; chmod 600 b.sh; rm c.sh; echo d > d.sh; chmod 755 d.sh"), never);
  const { files, mode_changed } = await workspace.changes();
  expect([files.map(({ path }) => path), mode_changed]).toEqual([
    ["c.sh", "d.sh"],
    ["a.sh", "b.sh", "d.sh"],
  ]);
});

test("modes and times do not count", async () => {
  await using pristine = openFixture({ "a.sh": "a\n" });
  await using workspace = pristine.open();
  await workspace.exec(shell("chmod 777 a.sh; touch a.sh; cp a.sh b; rm a.sh; mv b a.sh"), never);
  expect((await workspace.changes()).files).toEqual([]);
});

test("an edit that keeps size and time is found all the same", async () => {
  await using pristine = openFixture(Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`${i}.txt`, "aaaa\n"])));
  await using workspace = pristine.open();
  await workspace.exec(
    shell(
      "for f in *.txt; do touch -r $f ref; printf bbbb | dd of=$f conv=notrunc 2>/dev/null; touch -r ref $f; done; rm ref",
    ),
    never,
  );
  expect((await workspace.changes()).files).toHaveLength(50);
});

test("a renamed directory and files swapped with each other are found", async () => {
  await using pristine = openFixture({ "a/x": "1\n", "b/x": "2\n", "m/f": "f\n" });
  await using workspace = pristine.open();
  await workspace.exec(shell("mv a t; mv b a; mv t b; mv m n"), never);
  const { files } = await workspace.changes();
  expect(files.map(({ path, status }) => `${status} ${path}`)).toEqual([
    "modified a/x",
    "modified b/x",
    "deleted m/f",
    "added n/f",
  ]);
});

test("the patch never exceeds its cap, is never cut inside a file, and names what it leaves out", async () => {
  const big = lines(130_000);
  const changes = await changesBetween({}, { "a.txt": big, "b.txt": big, "small.txt": "small\n" });
  expect(Buffer.byteLength(changes.patch)).toBeLessThan(PATCH_BYTES + 1_000);
  expect(changes.patch).toEndWith('+small\nNot shown, too large: "b.txt"\n');
  expect(changes.files.map(({ path, added, after }) => [path, added, after])).toEqual([
    ["a.txt", 130_000, null],
    ["b.txt", 130_000, null],
    ["small.txt", 1, "small\n"],
  ]);
  expect(changes.truncated).toBe(true);
});

test("the digest differs for two contents even where nothing of them is shown", async () => {
  const digest = async (text: string) => (await changesBetween({}, { "a.txt": text })).digest;
  const long = "x".repeat(3_000_000);
  const [first, again, other] = [await digest(`${long}a`), await digest(`${long}a`), await digest(`${long}b`)];
  expect([first === again, first === other]).toEqual([true, false]);
});

test("a file that takes long to compare is shown whole, in bounded time", async () => {
  // Compared in full it would take minutes.
  const before = lines(8_000);
  const { files } = await changesBetween({ "a.txt": before }, { "a.txt": before.replaceAll("line", "zeile") });
  expect(files).toMatchObject([{ added: 8_000, removed: 8_000 }]);
});

test("hundreds of scattered edits in a long file are shown one by one", async () => {
  const before = Array.from({ length: 2_000 }, (_, n) => `line ${n}\n`);
  const after = before.map((line, n) => (n % 6 === 0 && n < 1_860 ? `new ${line}` : line));
  const [file] = (await changesBetween({ "a.txt": before.join("") }, { "a.txt": after.join("") })).files;
  expect(file).toMatchObject({ added: 310, removed: 310 });
});

test("a fixture's own links are compared as links", async () => {
  using fixture = new Directory({ "real/a.txt": "a\n" });
  symlinkSync("real", join(fixture.path, "link"));
  await using pristine = openFixture({}, { dir: fixture.path });
  await using workspace = pristine.open();
  await workspace.writeText("link/a.txt", "b\n");
  expect((await workspace.changes()).files.map((file) => file.path)).toEqual(["real/a.txt"]);
  await workspace.exec(shell("rm link; ln -s / link"), never);
  expect((await workspace.changes()).files.map((file) => file.path)).toEqual(["link", "real/a.txt"]);
});

test("changes to the fixture's directory during a run change nothing", async () => {
  using fixture = new Directory({ "a.txt": "a\n" });
  await using pristine = openFixture({}, { dir: fixture.path });
  await using first = pristine.open();
  await first.readText("a.txt");
  writeFileSync(join(fixture.path, "a.txt"), "edited meanwhile\n");
  utimesSync(join(fixture.path, "a.txt"), 1, 1);
  await using second = pristine.open();
  expect(await second.readText("a.txt")).toBe("a\n");
});

function lines(count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${index}\n`).join("");
}

/** What a real tool makes of the first tree with the patch. */
function applied(command: readonly string[], before: Tree, patch: string): Tree {
  using directory = new Directory(before);
  using aside = new Directory({ patch });
  const { exitCode, stderr, stdout } = Bun.spawnSync(
    [...command, ...(command[0] === "git" ? [join(aside.path, "patch")] : ["-i", join(aside.path, "patch")])],
    {
      cwd: directory.path,
    },
  );
  if (exitCode !== 0) throw new Error(`${stdout}${stderr}\n${patch.slice(0, 2_000)}`);
  const paths = [...new Bun.Glob("**/*").scanSync({ cwd: directory.path, dot: true })];
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(directory.path, path), "utf8")]));
}
