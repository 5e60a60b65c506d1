import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "../src/runtime/find-program.ts";
import { temporaryDirectory } from "./temporary.ts";

test("a program is the first executable file of its name on the PATH", () => {
  using directory = temporaryDirectory();
  const [a, b, c] = ["a", "b", "c"].map((name) => join(directory.path, name)) as [string, string, string]; // of three
  mkdirSync(join(a, "tool"), { recursive: true });
  for (const below of [b, c]) mkdirSync(below);
  writeFileSync(join(b, "tool"), "", { mode: 0o644 });
  writeFileSync(join(c, "tool"), "", { mode: 0o755 });
  expect(findProgram("tool", [a, join(a, "absent"), b, c].join(":"))).toBe(join(c, "tool"));
  expect(findProgram("tool", [a, b].join(":"))).toBeNull();
});

test("an empty entry of the PATH is not the current directory", () => {
  using directory = temporaryDirectory();
  writeFileSync(join(directory.path, "tool"), "", { mode: 0o755 });
  const code = `console.log((await import(${JSON.stringify(require.resolve("../src/runtime/find-program.ts"))})).findProgram("tool", ":"))`;
  const { stdout } = Bun.spawnSync([process.execPath, "-e", code], { cwd: directory.path });
  expect(stdout.toString()).toBe("null\n");
});
