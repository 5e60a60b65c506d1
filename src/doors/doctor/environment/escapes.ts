import { existsSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "../../../arms/sandbox/sandbox.ts";
import { makeTempDir } from "../../../arms/sandbox/temp-dir.ts";
import { openPristine } from "../../../arms/workspace/pristine.ts";
import { Failure } from "../../../domain/failure.ts";

/**
 * What a command in this sandbox can do that it should not, in words; empty when it is contained.
 * @param pid of this process
 * @throws Failure `sandbox_unavailable` when the attempts could not be made.
 */
export async function attemptEscapes(
  sandbox: Sandbox,
  signal: AbortSignal,
  pid = process.pid,
): Promise<readonly string[]> {
  const outside = makeTempDir();
  try {
    const canary = join(outside, "canary");
    writeFileSync(canary, "a file of this user, outside every workspace\n", { mode: 0o666 });
    await using pristine = openPristine({ source: { dir: null, files: {} }, sandbox, keep: false });
    await using workspace = pristine.open();
    const run = ATTEMPTS.map(({ script }) => script(canary, pid)).join("\n");
    const limits = { timeout_ms: 10_000, max_output_bytes: 4_096, network: "none" } as const;
    const { output } = await workspace.exec({ run: `${run}\necho ${TRIED}`, ...limits }, signal);
    const said = output.split("\n");
    if (said.includes(TRIED)) return ATTEMPTS.filter(({ sign }) => said.includes(sign)).map(({ means }) => means);
    throw new Failure("sandbox_unavailable", `the sandbox starts, but a command in it did not end well: ${output}`);
  } finally {
    rmSync(outside, { recursive: true, force: true });
  }
}

const TRIED = "tried";

interface Attempt {
  /** Prints `sign` on a line of its own when it succeeds. */
  readonly script: (canary: string, pid: number) => string;
  readonly sign: string;
  readonly means: string;
}

const ATTEMPTS: readonly Attempt[] = [
  {
    script: (canary) => `cat '${canary}' >/dev/null 2>&1 && echo reads`,
    sign: "reads",
    means: "read this user's files",
  },
  {
    script: (canary) => `(echo x >> '${canary}') 2>/dev/null && echo writes`,
    sign: "writes",
    means: "write this user's files",
  },
  {
    // This process's environment held the keys when it started. In a container its number is so small that a process of the
    // sandbox may have it too; that one is in another namespace.
    script: (_, pid) =>
      `[ "$(readlink /proc/${pid}/ns/pid)" = '${pidNamespace()}' ] && ` +
      `head -c 1 /proc/${pid}/environ 2>/dev/null | grep -q . && echo environment`,
    sign: "environment",
    means: "read the environment that this process was started with",
  },
  {
    // A network namespace of its own has only a loopback interface.
    script: () => "sed 1,2d /proc/net/dev 2>/dev/null | grep -qv '^ *lo:' && echo network",
    sign: "network",
    means: "reach a network",
  },
];

/** Where this process has its number, as Linux names it: `pid:[4026531836]`. */
const pidNamespace = () => (existsSync(OWN_NAMESPACE) ? readlinkSync(OWN_NAMESPACE) : "none");
const OWN_NAMESPACE = "/proc/self/ns/pid";
