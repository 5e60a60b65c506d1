import { spawn } from "node:child_process";
import { exitOf } from "../../../runtime/exit-of.ts";
import { findProgram } from "../../../runtime/find-program.ts";
import { readWhole } from "../../../runtime/grown-bytes.ts";
import { Unusable } from "../unusable.ts";

/** Milliseconds for one command. Listing the largest fixture takes less than a second. */
const TIMEOUT_MS = 60_000;

/** Bytes of git's stderr that are read. */
const COMPLAINT_BYTES = 4_096;

/**
 * An environment in which nothing outside the repository decides what an object holds or makes git start a program: no
 * configuration, hook, filter, replaced object, graft, or fetch of a missing object.
 */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/dev/null",
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_GRAFT_FILE: "/dev/null",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
};

/** Git reads the repository's own configuration all the same; these settings override it. */
const SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.attributesFile=/dev/null",
  "core.warnAmbiguousRefs=true",
  "core.quotePath=false",
  "protocol.allow=never",
].flatMap((setting) => ["-c", setting]);

/** A git command that is under way. */
interface GitProcess extends AsyncDisposable {
  readonly stdout: AsyncIterable<Uint8Array>;
  /** Waits for its end. @throws Unusable with git's own words when it failed. */
  finish(): Promise<{ readonly complaint: string }>;
}

/**
 * Starts a command of git that reads objects only. Disposal ends it.
 * @throws Unusable when there is no git.
 */
export function startGit(git_dir: string, args: readonly string[], input = ""): GitProcess {
  const program = findProgram("git");
  if (program === null) throw new Unusable("needs git, which is not installed here");
  // With `--git-dir` git searches for no other repository and does not check its owner.
  const child = spawn(program, ["--no-pager", "--literal-pathspecs", `--git-dir=${git_dir}`, ...SETTINGS, ...args], {
    cwd: "/",
    env: ENVIRONMENT,
    stdio: "pipe",
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  const exited = exitOf(child);
  // `finish` reports the error.
  exited.catch(() => undefined);
  // Git may end before it has read everything; its status says why.
  child.stdin.on("error", () => undefined).end(input);
  const complaint = headOf(child.stderr, COMPLAINT_BYTES).catch(() => "");
  return {
    stdout: child.stdout,
    finish: async () => {
      const status = await exited;
      const said = (await complaint).trim();
      if (status === 0) return { complaint: said };
      throw new Unusable(
        child.signalCode === "SIGKILL" ? "took git too long" : `cannot be read by git: ${reasonIn(said)}`,
      );
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** What a command prints. @throws Unusable when it fails, or prints more than `maxBytes`. */
export async function gitOutput(
  git_dir: string,
  args: readonly string[],
  { input = "", maxBytes }: { readonly input?: string; readonly maxBytes: number },
): Promise<{ readonly output: Buffer; readonly complaint: string }> {
  await using git = startGit(git_dir, args, input);
  const tooLarge = () => new Unusable(`makes git print more than ${Math.ceil(maxBytes / 1024)} KiB`);
  const output = await readWhole(git.stdout, maxBytes, tooLarge);
  const { complaint } = await git.finish();
  return { output, complaint };
}

/** The first bytes of a stream. The rest is read and dropped, so that the writer does not block. */
async function headOf(stream: AsyncIterable<Uint8Array>, bytes: number): Promise<string> {
  let head = Buffer.alloc(0);
  for await (const chunk of stream)
    if (head.length < bytes) head = Buffer.concat([head, chunk.subarray(0, bytes - head.length)]);
  return head.toString();
}

/** The complaint itself; git may print hints and warnings before it. */
function reasonIn(text: string): string {
  const lines = text.split("\n");
  const line = lines.find((it) => /^(fatal|error): /.test(it)) ?? lines[0] ?? "";
  return line.replace(/^(fatal|error): /, "") || "it gave no reason";
}
