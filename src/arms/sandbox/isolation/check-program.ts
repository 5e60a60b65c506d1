import { lstatSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, normalize } from "node:path";
import { COMMAND_BYTES } from "../../../domain/defaults.ts";
import { Failure } from "../../../domain/failure.ts";
import { isPlainPath } from "../plain-path.ts";
import { isWithin, NOT_REACHABLE, TAKEN } from "../readable.ts";
import type { ExecResult, Mount, Owner, Sandbox, SandboxedProgram } from "../sandbox.ts";
import { isReachable } from "../temp-dir.ts";

/** What a shell would say of a script that no process can be given; undefined for every other. */
export function refusedScript(run: string): ExecResult | undefined {
  const why = whyNotArgument(run);
  if (why === undefined) return undefined;
  const output = `sh: the command ${why}; put it into a file and run that\n`;
  return { ended: "exit", exit_code: 126, output, bytes: output.length, duration_ms: 0 };
}

function whyNotArgument(text: string): string | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes > COMMAND_BYTES) return `has ${bytes} bytes, at most ${COMMAND_BYTES} can be run`;
  return text.includes("\0") ? "contains a NUL character" : undefined;
}

/** Bytes of arguments and variables together. Linux takes 2 MiB under its usual limits. */
const ALL_ARGUMENT_BYTES = 1024 * 1024;

/** @throws Failure `invalid_request` for a program that cannot be had as asked. */
export function checkProgram(program: SandboxedProgram, { kind, owner }: Pick<Sandbox, "kind" | "owner">): void {
  const args = [program.command].flat();
  const variables = Object.entries(program.environment ?? {});
  for (const argument of args) refuse("the program: an argument", whyNotArgument(argument));
  for (const [name, value] of variables) refuse(`the variable ${name}`, whyNotVariable(name, value));
  const bytes = Buffer.byteLength([...args, ...variables.flat()].join("\0"));
  if (bytes > ALL_ARGUMENT_BYTES)
    refuse("the program:", `arguments and variables have ${bytes} bytes, at most ${ALL_ARGUMENT_BYTES} can be given`);
  const why = (held: () => string | undefined) => (kind === "none" ? NEEDS_BUBBLEWRAP : held());
  const { home, mounts = [], read_only = [], surroundings } = program;
  if (surroundings !== undefined)
    refuse(
      "a place of its own for the workspace",
      why(() => undefined),
    );
  if (home !== undefined)
    refuse(
      `the home ${home}`,
      why(() => whyNotHome(home, program, owner)),
    );
  for (const mount of mounts)
    refuse(
      `the mount of ${mount.from} at ${mount.to}`,
      why(() => whyNotMounted(mount, program, owner)),
    );
  for (const path of read_only)
    refuse(
      `the read-only path ${path}`,
      why(() => (isPlainPath(program.directory, path) ? undefined : NOT_PLAIN)),
    );
}

const NEEDS_BUBBLEWRAP = "needs bubblewrap: there is no sandbox";

const NOT_PLAIN = "is no file or directory of the workspace, or a link leads to it";

function refuse(what: string, why: string | undefined): void {
  if (why !== undefined) throw new Failure("invalid_request", `${what} ${why}`);
}

/** Only plain names and text pass: a NUL would end the argument that hands the variable to bubblewrap. */
function whyNotVariable(name: string, value: string): string | undefined {
  if (!/^[A-Za-z_]\w*$/.test(name)) return "has a name that no shell takes; use letters, digits and _";
  return whyNotArgument(value);
}

/** Where mounts may go: places that hold nothing of the system. */
const MOUNT_PLACES = ["/opt", "/run", "/home/agent"];

function whyNotHome(home: string, { directory }: SandboxedProgram, owner: Owner | null): string | undefined {
  if (home.includes("\0")) return "contains a NUL character";
  if (!isAbsolute(home)) return "must name an absolute path of this machine";
  if (!lstatSync(home, { throwIfNoEntry: false })?.isDirectory()) return "is no directory";
  const [real, work] = [realpathSync(home), realpathSync(directory)];
  if (isWithin(work, real) || isWithin(real, work)) return "must lie apart from the workspace";
  return isReachable(join(real, "x"), owner) ? undefined : `is not possible: ${NOT_REACHABLE}`;
}

/** A link of an earlier program would lead bubblewrap elsewhere when it makes a place to mount at. */
const isPlaceIn = (home: string, to: string) => {
  const below = to.slice("/home/agent/".length);
  const parents = below.split("/").map((_, index, names) => names.slice(0, index + 1).join("/"));
  return parents.every((path) => isPlainPath(home, path) || !lstatSync(join(home, path), { throwIfNoEntry: false }));
};

function whyNotMounted({ from, to }: Mount, { directory, home }: SandboxedProgram, owner: Owner | null) {
  if (`${from}${to}`.includes("\0")) return "contains a NUL character";
  if (!isAbsolute(from)) return "must name an absolute path of this machine";
  const isFree = MOUNT_PLACES.some((place) => to !== place && isWithin(to, place));
  if (normalize(to) !== to || to.endsWith("/") || !isFree) return `must go below ${MOUNT_PLACES.join(", ")}`;
  const taken = TAKEN.find((path) => isWithin(to, path) || isWithin(path, to));
  if (taken) return `would cover ${taken}, which is the sandbox's own`;
  if (home !== undefined && isWithin(to, "/home/agent") && !isPlaceIn(home, to)) return "would go through a link";
  const stats = statSync(from, { throwIfNoEntry: false });
  if (!stats) return "is not possible: there is no such file or directory";
  const real = realpathSync(from);
  if (isWithin(realpathSync(directory), real)) return "would show the workspace a second time";
  return isReachable(stats.isDirectory() ? join(real, "x") : real, owner)
    ? undefined
    : `is not possible: ${NOT_REACHABLE}`;
}
