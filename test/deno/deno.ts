import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Need } from "../machine.ts";
import { temporaryDirectory } from "../temporary.ts";

/** The one that the sources are known to run on. */
const VERSION = "2.9.6";

/** What Bun says where no registry answers. */
const UNREACHABLE = /DNSResolveFailed|Connection(Refused|Closed|Reset)|FailedToOpenSocket|Timeout|Unreachable/i;

/** Deno from npm, in a directory of its own. Disposal removes it. */
export interface Deno extends Disposable {
  readonly program: string;
  /** For what it and the program under test keep. */
  readonly home: string;
  /** A directory with `bun` alone, for the PATH of scenarios that call it. */
  readonly bun: string;
}

/** Undefined where no registry can be reached. @throws Error with what the installation said, when it fails otherwise */
export function installDeno(): Deno | undefined {
  const directory = temporaryDirectory();
  writeFileSync(join(directory.path, "package.json"), JSON.stringify({ private: true }));
  const command = [process.execPath, "add", "--exact", `deno@${VERSION}`];
  const { success, stderr } = Bun.spawnSync(command, { cwd: directory.path, env: process.env });
  if (!success) {
    directory[Symbol.dispose]();
    if (UNREACHABLE.test(stderr.toString())) return undefined;
    throw new Error(`deno@${VERSION} cannot be installed:\n${stderr}`);
  }
  // The package for this platform; the one called `deno` only starts it, by node.
  const [program] = [...new Bun.Glob("node_modules/@deno/*/deno").scanSync({ cwd: directory.path, absolute: true })];
  if (program === undefined) throw new Error(`deno@${VERSION} has no program for ${process.platform} ${process.arch}`);
  const bun = join(directory.path, "bin");
  mkdirSync(bun);
  symlinkSync(process.execPath, join(bun, "bun"));
  return { ...directory, program, home: directory.path, bun };
}

export const registry = (deno: Deno | undefined): Need => ({
  what: "the npm registry (a network)",
  met: deno !== undefined,
});
