import { expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../src/domain/sha256.ts";
import { Directory, never, openFixture, shell } from "./harness.ts";
import { asOrdinaryUser } from "./ordinary-user.ts";

const NO_OVERLAY = { dir: null, files: {} };

test("names that are no valid text, and look alike when decoded, stop nothing and hide nothing", async () => {
  await using pristine = openFixture({ "a.txt": "a\n" });
  await using workspace = pristine.open();
  const twins = `echo 1 > "$(printf 'b\\377')"; echo 2 > "$(printf 'b\\376')"; echo 3 > "$(printf 'b\\357\\277\\275')"`;
  await workspace.exec(shell(`${twins}; mkdir "$(printf 'd\\377')"; echo 4 > "$(printf 'd\\377')/f"`), never);
  const { files } = await workspace.changes();
  const { workspace: fork } = await workspace.fork({ restore: ["**/*.txt"], overlay: NO_OVERLAY });
  await using copy = fork;
  expect({
    changed: files.map(({ path, after }) => [path, after]),
    altered: (await workspace.altered(["b*"])).length,
    copied: (await copy.list()).map(({ path }) => path),
  }).toEqual({
    changed: [
      ["b\ufffd", "3\n"],
      ["b\ufffd (2)", null],
      ["b\ufffd (3)", null],
      ["d\ufffd", null],
    ],
    altered: 3,
    copied: ["a.txt", "b\ufffd"],
  });
});

test("a link whose target is long and no valid text is compared and copied byte for byte", async () => {
  await using pristine = openFixture({ "a.txt": "a\n" });
  await using workspace = pristine.open();
  await workspace.exec(shell(`ln -s "$(printf '\\377%.0s' $(seq 1 2000))" l`), never);
  const { files } = await workspace.changes();
  const { workspace: fork } = await workspace.fork({ restore: [], overlay: NO_OVERLAY });
  await using copy = fork;
  const { output } = await copy.exec(shell("readlink l | tr -d '\\n' | tr '\\377' x | wc -c"), never);
  expect([files.map(({ path, status }) => [path, status]), output.trim()]).toEqual([[["l", "added"]], "2000"]);
});

test.each([
  ["that cannot be entered", "chmod 444 d", ["d/f"]],
  ["that cannot be read", "chmod 311 d", ["d/f"]],
  ["with nothing allowed, one in another", "mkdir d/e; echo hi > d/e/g; chmod 000 d/e d", ["d/e/g", "d/f"]],
  ["that is the workspace itself", "chmod 444 d .", ["d/f"]],
])("an ordinary user reads and copies a directory %s", async (_, close, paths) => {
  const program = `
    await using pristine = openFixture({ "a.txt": "a\\n" });
    await using workspace = pristine.open();
    await workspace.exec(shell(${JSON.stringify(`mkdir d; echo hi > d/f; ${close}`)}), never);
    const altered = await workspace.altered(["d/**"]);
    const { files } = await workspace.changes();
    const { workspace: fork } = await workspace.fork({ restore: [], overlay: { dir: null, files: {} } });
    await using copy = fork;
    const copied = (await copy.list()).map(({ path }) => path);
    console.log(JSON.stringify({ altered, changed: files.map(({ path }) => path), copied }));`;
  expect(await asOrdinaryUser(program)).toEqual({ altered: paths, changed: paths, copied: ["a.txt", ...paths] });
});

const SOURCE = "one\ntwo\n";

test.each([
  ["an invalid byte", "printf 'one\\n2\\377\\n' > a.ts", { added: 1, removed: 1, after: "one\n2\ufffd\n" }],
  ["a NUL", "printf 'one\\n2\\000\\n' > a.ts", { added: 1, removed: 1, after: "one\n2\ufffd\n" }],
  ["nothing but bad bytes", "printf '\\377\\n\\376\\n' > a.ts", { added: 2, removed: 2, after: "\ufffd\n\ufffd\n" }],
  [
    "padding over the limit of size",
    "{ echo evil; yes //////// | head -n 300000; } > a.ts",
    { added: 300_001, removed: 2, after: null },
  ],
  ["a pipe in its place", "rm a.ts; mkfifo a.ts", { added: 0, removed: 2, after: null }],
])("a text file is shown, or at least counted, after %s", async (what, run, expected) => {
  await using pristine = openFixture({ "a.ts": SOURCE });
  await using workspace = pristine.open();
  await workspace.exec(shell(run), never);
  const files = (await workspace.changes()).files.map(({ digest: _digest, ...file }) => file);
  const binary = what === "a pipe in its place";
  expect(files).toEqual([{ path: "a.ts", status: "modified", binary, before: SOURCE, ...expected }]);
});

test("a new file that mostly reads as text is shown, and one that does not is told by its hash", async () => {
  await using pristine = openFixture({ "a.ts": SOURCE });
  await using workspace = pristine.open();
  await workspace.exec(
    shell("printf 'caf\\351 au lait, please\\n' > b.ts; printf '\\377\\376\\n\\001' > c.bin"),
    never,
  );
  const { files } = await workspace.changes();
  expect(files).toEqual([
    {
      path: "b.ts",
      status: "added",
      added: 1,
      removed: 0,
      binary: false,
      before: null,
      after: "caf\ufffd au lait, please\n",
      digest: sha256(Buffer.from("caf\xe9 au lait, please\n", "latin1")),
    },
    {
      ...{ path: "c.bin", status: "added", added: 0, removed: 0, binary: true, before: null, after: null },
      digest: sha256(new Uint8Array([255, 254, 10, 1])),
    },
  ]);
});

test("what does not count as work is in a fork as it was before the arm, wherever it can stand", async () => {
  await using pristine = openFixture({
    ".gitignore": "dist/\n*.log\n",
    "a.txt": "a\n",
    "dist/a.js": "honest\n",
    "dist/deep/b.js": "honest\n",
    "gone/x.log": "log\n",
    "linked/x.log": "log\n",
    "node_modules/left/i.js": "honest\n",
  });
  await using workspace = pristine.open();
  const planted = [
    "mkdir __pycache__ .git src; touch __pycache__/a.pyc .git/config src/new.log; echo work > src/new.ts",
    "echo evil > node_modules/left/i.js; echo evil > dist/a.js; echo evil > dist/c.js; rm -r dist/deep gone linked",
    "mkdir elsewhere; ln -s elsewhere linked; echo '!dist' > .gitignore",
  ];
  await workspace.exec(shell(planted.join("\n")), never);
  const { workspace: fork } = await workspace.fork({ restore: [], overlay: NO_OVERLAY });
  await using copy = fork;
  const { output } = await copy.exec(shell("find . ! -type d | sort | xargs grep -sH ''; ls -A elsewhere"), never);
  expect(output.split("\n")).toEqual([
    "./.gitignore:!dist",
    "./a.txt:a",
    "./dist/a.js:honest",
    "./dist/deep/b.js:honest",
    "./gone/x.log:log",
    "./node_modules/left/i.js:honest",
    "./src/new.ts:work",
    "",
  ]);
});

test.each([
  ["shut, with a name that is no text", `D="$(printf 'd\\377')"; mkdir "$D"; echo hi > "$D/f"; chmod 000 "$D"`],
  ["shut, one in another", `mkdir -p a/b/c; touch a/b/c/f; chmod 000 a/b/c a/b a`],
  ["that may not be written", `mkdir -p "$(printf 'x/e\\376')"; touch x/*/q; chmod 555 x/* x`],
])("an ordinary user gets rid of a directory %s", async (_, run) => {
  const program = `
    const { existsSync } = await import("node:fs");
    const pristine = openFixture({ "a.txt": "a\\\\n" });
    const workspace = pristine.open();
    await workspace.exec(shell(${JSON.stringify(run)}), never);
    const stood = existsSync(workspace.location);
    await workspace[Symbol.asyncDispose]();
    const stands = existsSync(workspace.location);
    await pristine[Symbol.asyncDispose]();
    console.log(JSON.stringify({ stood, stands }));`;
  expect(await asOrdinaryUser(program)).toEqual({ stood: true, stands: false });
});

test("a protected file is as executable in a fork as it was before the arm", async () => {
  using fixture = new Directory({ "t/run.sh": "echo ran\n", "t/data": "d\n", "t/same": "s\n" });
  chmodSync(join(fixture.path, "t/run.sh"), 0o755);
  await using pristine = openFixture({}, { dir: fixture.path });
  await using workspace = pristine.open();
  await workspace.exec(shell("chmod -x t/run.sh; chmod +x t/data; chmod g+w t/same"), never);
  const { workspace: fork, restored } = await workspace.fork({ restore: ["t/**"], overlay: NO_OVERLAY });
  await using copy = fork;
  const { output } = await copy.exec(shell("find t -type f -perm -100; ./t/run.sh"), never);
  expect([restored, output]).toEqual([["t/data", "t/run.sh"], "t/run.sh\nran\n"]);
});
