import { describe } from "bun:test";
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openSandbox } from "../../src/arms/sandbox/open-sandbox.ts";
import type { ExecResult, Sandbox } from "../../src/arms/sandbox/sandbox.ts";
import { openPristine } from "../../src/arms/workspace/pristine.ts";
import type { Pristine } from "../../src/arms/workspace/workspace.ts";
import { host, SANDBOX } from "../machine.ts";
import { describeNeeding } from "../needs.ts";

/** The same tests with a sandbox and without. Where no sandbox works, the first half is skipped by name. */
export function describeEachKind(title: string, body: (kind: Sandbox["kind"]) => void): void {
  describeNeeding(SANDBOX)(`${title} (bubblewrap)`, () => body("bubblewrap"));
  describe(`${title} (none)`, () => body("none"));
}

export const never = new AbortController().signal;

/** More than any test with many files takes. */
const ROOM_BYTES = 48 * 1024 * 1024;
const ROOM_FILES = 100_000;

/**
 * A place for tests of thousands of files: in memory where there is such a place. On ext4 without a journal a file takes up
 * to a millisecond to make for minutes after others were removed, and tests remove many.
 */
export const ROOMY = memoryPlace() ?? tmpdir();

function memoryPlace(): string | undefined {
  const place = "/dev/shm";
  try {
    accessSync(place, constants.W_OK | constants.X_OK);
    const { bavail, bsize, ffree } = statfsSync(place);
    return bavail * bsize > ROOM_BYTES && ffree > ROOM_FILES ? place : undefined;
  } catch {
    return undefined;
  }
}

/** A directory that is removed at the end of a test. */
export class Directory implements Disposable {
  readonly path: string;

  constructor(files: Readonly<Record<string, string | Uint8Array>> = {}, parent: string = tmpdir()) {
    this.path = mkdtempSync(join(parent, "abeval-test-"));
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(this.path, path)), { recursive: true });
      writeFileSync(join(this.path, path), content);
    }
  }

  [Symbol.dispose](): void {
    Bun.spawnSync(["chmod", "-R", "u+rwX", this.path]);
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Runs one command in a sandbox of its own and an empty directory. */
export async function runIn(
  kind: Sandbox["kind"],
  run: string,
  options: { readonly timeout_ms?: number; readonly max_output_bytes?: number; readonly signal?: AbortSignal } = {},
): Promise<ExecResult> {
  const sandbox = openSandbox(kind, host);
  using directory = new Directory();
  if (sandbox.owner) chownSync(directory.path, sandbox.owner.uid, sandbox.owner.gid);
  const { timeout_ms = 20_000, max_output_bytes = 20_000, signal = never } = options;
  const command = { run, timeout_ms, max_output_bytes, network: "none", directory: directory.path } as const;
  return await sandbox.run(command, signal);
}

export const openFixture = (
  files: Readonly<Record<string, string>>,
  options: { readonly dir?: string; readonly kind?: Sandbox["kind"]; readonly keep?: boolean } = {},
): Pristine =>
  openPristine({
    source: { dir: options.dir ?? null, files },
    sandbox: openSandbox(options.kind ?? "none", host),
    keep: options.keep ?? false,
  });

export const shell = (run: string, timeout_ms = 20_000) =>
  ({ run, timeout_ms, max_output_bytes: 20_000, network: "none" }) as const;

/** Processes of this machine whose command line holds `mark`. */
export function processesWith(mark: string): readonly string[] {
  const { stdout } = Bun.spawnSync(["sh", "-c", `grep -lsaF -- '${mark}' /proc/[0-9]*/cmdline`]);
  const self = String(process.pid);
  return stdout
    .toString()
    .split("\n")
    .filter((path) => path !== "" && !path.includes(`/${self}/`) && existsSync(path));
}
