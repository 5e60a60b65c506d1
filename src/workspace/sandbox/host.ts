import { type Clock, systemClock } from "../../clock.ts";

/** What a sandbox has to know of the machine and the process around it. */
export interface SandboxHost {
  readonly clock: Clock;
  /** PATH of this process: where `bwrap`, `bun` and `node` are looked for; what commands get where there is no sandbox. */
  readonly path: string;
  /** Where tools for administrators are, which `path` may lack; default: the usual places. */
  readonly admin_path?: string;
  /** The running executable; serves as `bun` where PATH has none. */
  readonly executable: string;
  /** Directories that commands may read, at their own paths; checked already. */
  readonly read?: readonly string[];
  /** A model's commands with an open network get the one of this machine. */
  readonly accept_host_network?: boolean;
}

/** For callers that do not say; one object, so that what was found out about it is found out once. */
export const THIS_HOST: SandboxHost = {
  clock: systemClock,
  path: "/usr/local/bin:/usr/bin:/bin",
  executable: process.execPath,
};
