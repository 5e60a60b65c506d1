import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { readOnlyPaths } from "../../src/arms/workspace/pristine-tree.ts";
import { walk } from "../../src/arms/workspace/tree/walk.ts";
import type { Workspace } from "../../src/arms/workspace/workspace.ts";
import { SANDBOX } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { textOf } from "../sandbox/programs.ts";
import { Directory, never, openFixture, shell } from "./harness.ts";

const FILES = {
  "tests/a.test.ts": "a",
  "tests/deep/b.test.ts": "b",
  "tests/notes.md": "notes",
  "src/c.test.ts": "c",
  "package.json": "{}",
};

const pathsOf = async (files: Readonly<Record<string, string>>, globs: readonly string[]) => {
  using directory = new Directory(files);
  symlinkSync("a.test.ts", join(directory.path, Object.keys(files)[0] ?? "", "../link.test.ts"));
  return await readOnlyPaths(await walk(directory.path), globs);
};

test.each<readonly [globs: readonly string[], paths: readonly string[]]>([
  [[], []],
  [["none/**"], []],
  [["tests/**"], ["tests"]],
  [["tests/**/*"], ["tests"]],
  [["tests"], []],
  [["tests/*"], ["tests/a.test.ts", "tests/notes.md"]],
  [["tests/**/*.ts"], ["tests/a.test.ts", "tests/deep/b.test.ts"]],
  [
    ["tests/{deep,other}/**", "package.json"],
    ["package.json", "tests/deep"],
  ],
  [
    ["**/*.test.ts", "tests/**"],
    ["src/c.test.ts", "tests"],
  ],
  [["**"], ["package.json", "src", "tests"]],
])("%j of a fixture are bound as %j", async (globs, paths) => {
  expect(await pathsOf(FILES, globs)).toEqual(paths);
});

test("more separate files than can be bound are refused with words that help, whole directories are not", async () => {
  const files = Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`tests/${at}.ts`, ""]));
  expect(await pathsOf(files, ["tests/*.ts"]).catch((error) => error.message)).toMatch(
    /stand for 501 separate files, and at most 500 .* name whole directories, as in tests/,
  );
  expect(await pathsOf(files, ["tests/**"])).toEqual(["tests"]);
});

describeNeeding(SANDBOX)("a program in a workspace", () => {
  const said = async (workspace: Workspace, command: string, read_only: readonly string[]) => {
    await using program = await workspace.attach({ command, network: "none", read_only }, never);
    return await textOf(program.stdout);
  };

  test("cannot change what is protected, at its second start as at its first", async () => {
    await using pristine = openFixture(FILES, { kind: "bubblewrap" });
    await using workspace = pristine.open();
    const command = "(echo x >> tests/a.test.ts) 2>/dev/null || echo refused; echo x >> package.json";
    for (const _ of [1, 2]) expect(await said(workspace, command, ["tests/**"])).toBe("refused\n");
    expect(await workspace.altered(["**"])).toEqual(["package.json"]);
  });

  test("is led nowhere by a link that a command has put in the place of a protected file", async () => {
    await using pristine = openFixture(FILES, { kind: "bubblewrap" });
    await using workspace = pristine.open();
    await workspace.exec(
      shell("rm -r tests package.json; ln -s /etc tests; ln -s ../../../oldroot/etc/passwd package.json"),
      never,
    );
    expect(await said(workspace, "cat package.json; echo over", ["tests/**", "package.json"])).toBe("over\n");
    expect(await workspace.altered(["package.json"])).toEqual(["package.json"]);
  });

  test("sees a protected file change that a command outside of it changes", async () => {
    await using pristine = openFixture(FILES, { kind: "bubblewrap" });
    await using workspace = pristine.open();
    const command = "read -r _; cat package.json";
    await using program = await workspace.attach({ command, network: "none", read_only: ["package.json"] }, never);
    await workspace.exec(shell("printf changed > package.json"), never);
    program.stdin.write("\n");
    expect(await textOf(program.stdout)).toBe("changed");
  });
});
