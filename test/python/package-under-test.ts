import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM, ROOT } from "../abeval.ts";
import { temporaryDirectory } from "../temporary.ts";

const SOURCES = join(ROOT, "python");

/** The program under test as one file, which is what a library starts. */
function executableIn(directory: string): string {
  const path = join(directory, "abeval-under-test");
  writeFileSync(path, `#!/bin/sh\nexec ${PROGRAM.map((word) => `'${word}'`).join(" ")} "$@"\n`, { mode: 0o755 });
  return path;
}

/** Runs Python in an empty directory, where it finds the package in `packages` and the program under test. */
export async function python(args: readonly string[], packages = SOURCES, more: Readonly<Record<string, string>> = {}) {
  using directory = temporaryDirectory();
  const child = Bun.spawn(["python3", ...args], {
    cwd: directory.path,
    env: {
      ...{ PATH: process.env["PATH"] ?? "", HOME: directory.path, PYTHONDONTWRITEBYTECODE: "1" },
      ...{ PYTHONPATH: packages, ABEVAL_BIN: executableIn(directory.path), ...more },
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { status: await child.exited, stdout, stderr };
}

export const pythonFile = (path: string) => join(SOURCES, path);
