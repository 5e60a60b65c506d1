import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { mainPackage, platformPackage } from "../../release/npm-package.ts";
import { nativeTarget } from "../../release/targets.ts";
import { PROGRAM } from "../abeval.ts";
import { temporaryDirectory } from "../temporary.ts";

/** What a script in a project printed, and how it ended. */
interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Project extends Disposable {
  readonly path: string;
  /** A file of the project. */
  write(name: string, text: string): string;
  /** Runs a module in a process of its own. */
  run(text: string, how?: RunsAs): Promise<Ran>;
  /** Starts one, to be ended by its test. */
  start(text: string, how?: RunsAs): Bun.Subprocess<"ignore", "pipe", "pipe">;
}

interface RunsAs {
  /** Default: Bun. */
  readonly runtime?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A project with the packages of npm as a release has them, laid out as npm does, and nothing else. */
export async function projectWithLibrary(): Promise<Project> {
  const directory = temporaryDirectory();
  const path = (...names: string[]) => join(directory.path, ...names);
  const { entries } = await mainPackage([]);
  const target = nativeTarget();
  const platform = platformPackage(target, []);
  const files = [
    ...entries.map((entry) => ({ ...entry, to: "abeval" })),
    ...platform.entries.map((entry) => ({ ...entry, to: `@abeval/${target.name}` })),
  ];
  for (const { path: name, bytes, to } of files) {
    const file = path("node_modules", to, name.replace(/^package\//, ""));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
  putProgram(path("node_modules", "@abeval", target.name, "abeval"));
  writeFileSync(path("package.json"), JSON.stringify({ type: "module" }));
  const write = (name: string, text: string) => {
    writeFileSync(path(name), text);
    return path(name);
  };
  let scripts = 0;
  const start = (text: string, { runtime = process.execPath, env = {} }: RunsAs = {}) => {
    scripts += 1;
    const file = write(`script-${scripts}.mjs`, text);
    const home = { PATH: process.env["PATH"] ?? "", HOME: "/dev/null/home", BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };
    return Bun.spawn([runtime, file], {
      cwd: directory.path,
      env: { ...home, ...env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
  };
  const run = async (text: string, how?: RunsAs): Promise<Ran> => {
    const child = start(text, how);
    const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    await child.exited;
    return { status: child.exitCode, stdout, stderr };
  };
  return { path: directory.path, write, run, start, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

/** The program under test, where the platform's package has it. */
function putProgram(file: string): void {
  const [only = "", ...rest] = PROGRAM;
  if (rest.length === 0) {
    symlinkSync(only, file);
    return;
  }
  writeFileSync(file, `#!/bin/sh\nexec ${PROGRAM.map((word) => `'${word}'`).join(" ")} "$@"\n`);
  chmodSync(file, 0o755);
}
