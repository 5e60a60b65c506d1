import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { THIS_HOST } from "../../../arms/sandbox/host.ts";
import { type Guarded, guardedHome, whyNotReadable } from "../../../arms/sandbox/readable.ts";
import { Sandboxes } from "../../../arms/sandbox/sandboxes.ts";
import { sandboxOwner } from "../../../arms/sandbox/temp-dir.ts";
import { SANDBOX_MODES, type SandboxMode } from "../../../domain/session-settings.ts";
import { loopClock } from "../../../runtime/clock.ts";
import { UsageError } from "../flags/parse-arguments.ts";
import type { SharedSettings } from "../flags/service-flags.ts";

interface SandboxingOptions extends Pick<SharedSettings, "sandbox" | "state_dir" | "agents_dir" | "images_dir"> {
  readonly scenarios_dirs: readonly string[];
  readonly notice: (line: string) => void;
}

/** Chooses where commands and external agents run, and what they may read there. @throws UsageError */
export function sandboxingOf(environment: Readonly<Record<string, string | undefined>>, options: SandboxingOptions) {
  const { mode, read, accept_host_network } = options.sandbox;
  const sandbox = sandboxMode(mode ?? environment["ABEVAL_SANDBOX"]);
  if (sandbox === "none" && read.length > 0)
    options.notice("--sandbox-read has no effect without a sandbox: commands read whatever this user can");
  const places = { ...options, home: environment["HOME"] };
  const sandboxes = new Sandboxes({
    clock: loopClock,
    path: environment["PATH"] || THIS_HOST.path,
    executable: THIS_HOST.executable,
    read: readableDirectories(read, places),
    accept_host_network,
  });
  const agents_dir = agentsDirectory(options.agents_dir ?? environment["ABEVAL_AGENTS_DIR"], places);
  const images = options.images_dir ?? environment["ABEVAL_IMAGES_DIR"];
  return {
    ...{ sandbox, sandboxes, agents_dir },
    images_dir: images ? imagesDirectory(images) : undefined,
    image_cache: imageCache(environment),
  };
}

/** Absolute. @throws UsageError */
function imagesDirectory(given: string): string {
  if (!statSync(given, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`--images-dir ${given}: there is no such directory`);
  return resolve(given);
}

/** Where images are unpacked: where programs keep what they can make again. Root's sandbox user cannot enter root's home. */
function imageCache({ XDG_CACHE_HOME, HOME }: Readonly<Record<string, string | undefined>>): string | undefined {
  if (XDG_CACHE_HOME?.startsWith("/")) return join(XDG_CACHE_HOME, "abeval/images");
  if (sandboxOwner() !== null) return "/var/cache/abeval/images";
  return HOME ? join(HOME, ".cache/abeval/images") : undefined;
}

function sandboxMode(mode: string | undefined): SandboxMode {
  const known = SANDBOX_MODES.find((name) => name === (mode || "auto"));
  if (known === undefined) throw new UsageError(`ABEVAL_SANDBOX: expected ${SANDBOX_MODES.join(", ")}, got "${mode}"`);
  return known;
}

/** Directories of hidden checks, sessions and keys. */
interface Private {
  readonly home: string | undefined;
  readonly state_dir: string | undefined;
  readonly scenarios_dirs: readonly string[];
}

/** The directories that commands may read, absolute. @throws UsageError naming one that they must not. */
function readableDirectories(given: readonly string[], places: Private): string[] {
  const guarded = guardedBy(places);
  for (const directory of given) {
    const reason = whyNotReadable(directory, guarded, sandboxOwner());
    if (reason !== undefined) throw new UsageError(`--sandbox-read ${directory}: ${reason}`);
  }
  return [...new Set(given.map((directory) => resolve(directory)))];
}

/** Absolute; what lies in it may be shown to commands. An empty variable is none. @throws UsageError */
function agentsDirectory(given: string | undefined, places: Private): string | undefined {
  if (!given) return undefined;
  const reason = whyNotReadable(given, guardedBy(places), sandboxOwner());
  if (reason !== undefined) throw new UsageError(`--agents-dir ${given}: ${reason}`);
  return resolve(given);
}

const guardedBy = ({ home, state_dir, scenarios_dirs }: Private): readonly Guarded[] => [
  ...(state_dir === undefined ? [] : [{ path: resolve(state_dir), what: "stored sessions" }]),
  ...scenarios_dirs.map((path) => ({ path: resolve(path), what: "scenarios, hidden checks included" })),
  ...(home === undefined ? [] : guardedHome(home)),
];
