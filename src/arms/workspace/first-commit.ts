import { SETUP_TIMEOUT_S } from "../../domain/defaults.ts";
import { Failure } from "../../domain/failure.ts";
import type { Sandbox, SandboxedCommand } from "../sandbox/sandbox.ts";

/** This repository and none around it, no configuration but its own, and no clock: the commit has the same id in each run. */
const VARIABLES = {
  GIT_DIR: ".git",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_DATE: "2000-01-01T00:00:00Z",
  GIT_COMMITTER_DATE: "2000-01-01T00:00:00Z",
};

/** A name and an address stay in the repository, so that an arm can commit. */
const SCRIPT = `set -e
command -v git >/dev/null || { echo "there is no git"; exit 127; }
if [ ! -e .git ]; then
  git init -q --template=
  git symbolic-ref HEAD refs/heads/main
  git config user.name Developer
  git config user.email developer@example.invalid
  git add -A
  git commit -q --allow-empty -m "Initial commit"
else
  git add -A
  git diff --cached --quiet || git -c core.hooksPath=/dev/null commit -q --amend --allow-empty --no-edit
fi
git repack -a -d -q`;

/** Bytes of what git says that a failure shows. */
const SAID_BYTES = 4_096;

/**
 * Makes a directory a git repository whose only commit holds everything that is not ignored; a repository that stands there
 * gets what was changed since into its last commit. Git runs in the sandbox alone.
 * @throws Failure `setup_failed`
 */
export async function commitAll(
  sandbox: Sandbox,
  place: Omit<SandboxedCommand, "run" | "timeout_ms" | "max_output_bytes" | "network">,
  signal: AbortSignal,
): Promise<void> {
  const limits = { timeout_ms: SETUP_TIMEOUT_S * 1000, max_output_bytes: SAID_BYTES, network: "none" } as const;
  const environment = { ...place.environment, ...VARIABLES };
  const { ended, exit_code, output } = await sandbox.run({ ...place, ...limits, environment, run: SCRIPT }, signal);
  if (ended === "exit" && exit_code === 0) return;
  const why = ended === "exit" ? `exit code ${exit_code}` : ended;
  throw new Failure("setup_failed", `task.fixture.repository: no commit could be made (${why}): ${output.trim()}`);
}
