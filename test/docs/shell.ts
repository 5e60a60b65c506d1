import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { PROGRAM } from "../abeval.ts";
import { EXAMPLES, SCENARIOS } from "../harness.ts";
import { temporaryDirectory } from "../temporary.ts";

export interface Shell extends Disposable {
  readonly path: string;
  /** Runs lines as a reader types them: in bash, with `abeval` on PATH, in `path`. The first line that fails ends them. */
  readonly type: (script: string, env?: Readonly<Record<string, string>>) => Promise<Typed>;
}

export interface Typed {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A temporary directory with the bundled scenarios, whose pauses are left out, and the examples. */
export function openShell(): Shell {
  const directory = temporaryDirectory();
  const { path } = directory;
  cpSync(SCENARIOS, join(path, "scenarios"), { recursive: true });
  withoutPauses(join(path, "scenarios"));
  cpSync(EXAMPLES, join(path, "examples"), { recursive: true });
  const bin = join(path, ".bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "abeval"), `#!/bin/sh\nexec ${PROGRAM.map((part) => `'${part}'`).join(" ")} "$@"\n`);
  chmodSync(join(bin, "abeval"), 0o755);
  const PATH = [bin, process.env["PATH"] ?? ""].join(delimiter);
  return {
    path,
    type: async (script, env = {}) => {
      const child = Bun.spawn(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], {
        cwd: path,
        env: { PATH, HOME: path, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0", ...env },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      const [stdout, stderr] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      return { status: await child.exited, stdout, stderr };
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

function withoutPauses(directory: string): void {
  for (const name of readdirSync(directory).filter((name) => name.endsWith(".yaml"))) {
    const file = join(directory, name);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/^\s*delay_ms: \d+\n/gm, ""));
  }
}
