import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Failure } from "../../domain/failure.ts";
import { findProgram } from "../../runtime/find-program.ts";
import type { SandboxHost } from "../sandbox/host.ts";
import { publicCopy } from "../sandbox/public-copy.ts";
import type { Mount } from "../sandbox/sandbox.ts";
import { isReachable, sandboxOwner } from "../sandbox/temp-dir.ts";

interface LauncherStart {
  readonly port: number;
  /** Path inside. */
  readonly socket: string;
  /** Where the program begins: an absolute path inside. */
  readonly at: string;
  readonly argv: readonly string[];
}

/** How a program is started in a sandbox with a port of its own loopback that leads to a unix socket. */
export interface LauncherCommand {
  readonly mounts: readonly Mount[];
  command(start: LauncherStart): readonly [program: string, ...args: string[]];
}

const SOURCE = fileURLToPath(new URL("./launcher.ts", import.meta.url));

const PROGRAM_INSIDE = "/opt/abeval/abeval";
const SOURCE_INSIDE = "/opt/abeval/launcher.ts";

/** Moves the program's output to the descriptors that the launcher hands on. The launcher itself prints nowhere. */
const APART = 'exec 3>&1 4>&2 >/dev/null 2>&1 && exec "$@"';

/** Started from /, where no file of a fixture says how bun works. */
const startAt = (at: string) =>
  `const { command } = await import("${SOURCE_INSIDE}"); process.chdir(${JSON.stringify(at)}); process.exitCode = await command(process.argv.slice(1));`;

/**
 * The compiled program, or a bun and one source file.
 * @throws Failure `invalid_request` when this machine has nothing that could run it
 */
export function launcherCommand(host: SandboxHost): LauncherCommand {
  const fromSources = existsSync(SOURCE);
  if (host.executable === null && !(fromSources && findProgram("bun", host.path)))
    throw new Failure("invalid_request", "external agents need Bun on this machine: https://bun.sh");
  const shown = (from: string, to: string) => [
    { from: isReachable(from, sandboxOwner()) ? from : publicCopy(from), to },
  ];
  const start = (at: string) => (fromSources ? ["bun", "--cwd=/", "-e", startAt(at)] : [PROGRAM_INSIDE, "__launch"]);
  return {
    mounts: fromSources ? shown(SOURCE, SOURCE_INSIDE) : shown(host.executable ?? "", PROGRAM_INSIDE),
    command: ({ port, socket, at, argv }) => [
      "/bin/sh",
      "-c",
      APART,
      "sh",
      ...start(at),
      String(port),
      socket,
      "--",
      ...argv,
    ],
  };
}
