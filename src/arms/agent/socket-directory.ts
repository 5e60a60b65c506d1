import { chmodSync, chownSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import type { Mount, Owner } from "../sandbox/sandbox.ts";
import { isReachable, makeTempDir } from "../sandbox/temp-dir.ts";

const INSIDE = "/run/abeval";
const NAME = "provider.sock";

/** The socket as a program in the sandbox finds it. */
export const SOCKET_INSIDE = `${INSIDE}/${NAME}`;

/** Bytes that an address of a unix socket has room for. */
const MAX_ADDRESS_BYTES = 107;

/** A directory for the socket of one arm. Nobody but the sandbox's user can enter it. Disposal removes it. */
export interface SocketDirectory extends Disposable {
  /** Absolute path on this machine to listen at. */
  readonly socket: string;
  /** Shows this directory, and so no socket but this one. */
  readonly mount: Mount;
  /** Lets the sandbox's user connect. To be called when somebody listens. */
  open(): void;
}

/**
 * @param owner who the sandbox runs programs as
 * @param roots directories for temporary files; the first is taken whose path is short enough
 * @throws Failure `workspace_failed` when none is
 */
export function makeSocketDirectory(owner: Owner | null, roots = [tmpdir(), "/tmp", "/var/tmp"]): SocketDirectory {
  const directory = makeShort(roots.filter((root) => isReachable(`${root}/x`, owner)));
  if (directory === undefined)
    throw new Failure(
      "workspace_failed",
      `no socket can be made below ${roots.join(", ")}: its path may have at most ${MAX_ADDRESS_BYTES} bytes; set TMPDIR to a shorter one`,
    );
  const socket = join(directory, NAME);
  const handOver = (path: string, mode: number) => {
    if (owner) chownSync(path, owner.uid, owner.gid);
    chmodSync(path, mode);
  };
  handOver(directory, 0o700);
  return {
    socket,
    mount: { from: directory, to: INSIDE },
    open: () => handOver(socket, 0o600),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}

function makeShort(roots: readonly string[]): string | undefined {
  for (const root of roots) {
    const directory = made(root);
    if (directory === undefined) continue;
    if (Buffer.byteLength(join(directory, NAME)) <= MAX_ADDRESS_BYTES) return directory;
    rmSync(directory, { recursive: true });
  }
  return undefined;
}

/** Undefined where this user may make nothing. */
function made(root: string): string | undefined {
  try {
    return makeTempDir(root);
  } catch {
    return undefined;
  }
}
