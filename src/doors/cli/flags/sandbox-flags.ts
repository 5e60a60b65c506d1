import { resolve } from "node:path";
import { type Guarded, guardedHome, whyNotReadable } from "../../../arms/sandbox/readable.ts";
import { sandboxOwner } from "../../../arms/sandbox/temp-dir.ts";
import { SANDBOX_MODES } from "../../../domain/session.ts";
import { type FlagSpec, type ParsedArguments, UsageError } from "./arguments.ts";

/** Flags that say what commands may do, and where. */
export const SANDBOX_FLAGS = {
  sandbox: {
    value: "<mode>",
    choices: SANDBOX_MODES,
    description: "auto, bubblewrap or none (default auto: commands of a model need bubblewrap)",
  },
  "sandbox-read": {
    value: "<dir>",
    repeatable: true,
    description:
      "let commands read this directory, such as a toolchain; it and its bin go on their PATH if programs lie there; repeatable",
  },
  "accept-host-network": {
    description: "let a model's commands with `network: open` reach this machine's own servers",
  },
} as const satisfies Record<string, FlagSpec>;

/** Where programs lie that scenarios may bring into the sandbox. */
export const AGENTS_FLAG = {
  "agents-dir": {
    value: "<path>",
    description:
      "a directory with one for each install that scenarios name, such as an MCP server (or ABEVAL_AGENTS_DIR)",
  },
} as const satisfies Record<string, FlagSpec>;

export interface SandboxSettings {
  /** As given; absent: ABEVAL_SANDBOX decides. */
  readonly mode: string | undefined;
  readonly accept_host_network: boolean;
  /** As given. */
  readonly read: readonly string[];
}

type SandboxArguments = Pick<ParsedArguments<keyof typeof SANDBOX_FLAGS>, "value" | "values" | "has">;

export const sandboxSettings = ({ value, values, has }: SandboxArguments): SandboxSettings => ({
  mode: value("sandbox"),
  accept_host_network: has("accept-host-network"),
  read: values("sandbox-read"),
});

/** Directories of hidden checks, sessions and keys. */
interface Private {
  readonly home: string | undefined;
  readonly state_dir: string | undefined;
  readonly scenarios_dirs: readonly string[];
}

/** The directories that commands may read, absolute. @throws UsageError naming one that they must not. */
export function readableDirectories(given: readonly string[], places: Private): string[] {
  const guarded = guardedBy(places);
  for (const directory of given) {
    const reason = whyNotReadable(directory, guarded, sandboxOwner());
    if (reason !== undefined) throw new UsageError(`--sandbox-read ${directory}: ${reason}`);
  }
  return [...new Set(given.map((directory) => resolve(directory)))];
}

/** Absolute; what lies in it may be shown to commands. An empty variable is none. @throws UsageError */
export function agentsDirectory(given: string | undefined, places: Private): string | undefined {
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
