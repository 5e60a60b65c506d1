import { type Clock, systemClock } from "../../runtime/clock.ts";
import { ON_BUN } from "../../runtime/on-bun.ts";

/** What a sandbox has to know of the machine and the process around it. */
export interface SandboxHost {
  readonly clock: Clock;
  /** PATH for finding `bwrap`, `bun` and `node`, and for commands where there is no sandbox. */
  readonly path: string;
  /** Directories of tools for administrators, which `path` may lack; default: the usual ones. */
  readonly admin_path?: string;
  /** What serves as `bun` where PATH has none: the running executable, when it is Bun's. */
  readonly executable: string | null;
  /** Directories that commands may read, at their own paths; checked already. */
  readonly read?: readonly string[];
  /** A model's commands with an open network get the one of this machine. */
  readonly accept_host_network?: boolean;
}

/** The default of callers that name no host. */
export const THIS_HOST: SandboxHost = {
  clock: systemClock,
  path: "/usr/local/bin:/usr/bin:/bin",
  executable: ON_BUN ? process.execPath : null,
};
