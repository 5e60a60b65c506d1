import { join } from "node:path";
import { scenarioFolder } from "./scenario/scenario-folder.ts";

/** Nothing is tidied up behind a test. */
const SETTINGS = ["maintenance.auto=false", "init.defaultBranch=main", "user.name=Ada", "user.email=ada@example.org"];

/** A real repository in a temporary directory. The git configuration of this machine has no effect on it. */
export async function gitRepository(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const folder = await scenarioFolder(files);
  const git = (...args: string[]) => gitIn(folder.directory, args);
  git("init", "--quiet", "--template=");
  if (Object.keys(files).length > 0) commitAll(git, "first");
  return { ...folder, git, commit: (message: string) => commitAll(git, message) };
}

export function gitIn(directory: string, args: readonly string[], input?: string): string {
  const { stdout, stderr, exitCode } = Bun.spawnSync(["git", ...SETTINGS.flatMap((one) => ["-c", one]), ...args], {
    cwd: directory,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: join(directory, "nobody"),
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_ALLOW_PROTOCOL: "file",
      GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z",
      GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z",
    },
    ...(input === undefined ? {} : { stdin: Buffer.from(input) }),
  });
  if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${stderr.toString()}`);
  return stdout.toString().trim();
}

function commitAll(git: (...args: string[]) => string, message: string): string {
  git("add", "--all", "--force");
  git("commit", "--quiet", "--allow-empty", "--message", message);
  return git("rev-parse", "HEAD");
}
