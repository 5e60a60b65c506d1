import { existsSync } from "node:fs";
import { SETUP_TIMEOUT_S } from "../../domain/defaults.ts";
import { Failure } from "../../domain/failure.ts";
import type { SetupStep } from "../../domain/task.ts";
import { makeScratch } from "../sandbox/home.ts";
import { COMMAND_LIMITS, MAX_PRINTED_BYTES, MAX_SCRATCH_BYTES, type ProgramLimits } from "../sandbox/limits.ts";
import type { ExecResult, Sandbox, SandboxedCommand } from "../sandbox/sandbox.ts";
import type { PristineOptions } from "./workspace.ts";

/** Bytes of a setup step's output that its failure shows. */
const SETUP_OUTPUT_BYTES = 4_096;

/** Where systems keep the certificates that they trust. */
const CERTIFICATES = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"];

/** Node and Python bring certificates of their own, to which registries behind a company's proxy are unknown. */
function trust(): Readonly<Record<string, string>> {
  const file = CERTIFICATES.find((path) => existsSync(path));
  return file === undefined ? {} : { NODE_EXTRA_CA_CERTS: file, SSL_CERT_FILE: file, REQUESTS_CA_BUNDLE: file };
}

interface Setup extends PristineOptions, Pick<SandboxedCommand, "directory" | "surroundings"> {
  readonly steps: readonly SetupStep[];
}

/** What a step of a setup may take. Packages hold larger files than the work of an arm does. */
const SETUP_LIMITS: ProgramLimits = { ...COMMAND_LIMITS, file_bytes: MAX_SCRATCH_BYTES };

/** Runs the steps of a setup in the fixture. @throws Failure `setup_failed` naming the step and its last output */
export async function runSetup(setup: Setup, signal: AbortSignal): Promise<void> {
  const { steps, directory, surroundings, sandbox, setup_bytes, source, places } = setup;
  // What the steps leave in it is theirs alone: no arm and no other session sees it.
  await using scratch = makeScratch(sandbox.owner, setup_bytes);
  const place = {
    directory,
    surroundings,
    disk: { bytes: 0, unmeasured_bytes: 0 },
    scratch,
    limits: SETUP_LIMITS,
    environment: { ...(places?.image ? {} : trust()), ...places?.env },
  };
  if (source.repository) await commitAll(sandbox, place, signal);
  for (const [index, step] of steps.entries()) {
    const { run, timeout_s } = step;
    const limits = { timeout_ms: timeout_s * 1000, max_output_bytes: SETUP_OUTPUT_BYTES, network: "host" } as const;
    const result = await sandbox.run({ run, ...place, ...limits }, signal);
    if (result.ended === "exit" && result.exit_code === 0) continue;
    const said = result.output.trim();
    const message = `task.setup[${index}] \`${run}\` failed (${reasonOf(result, step)})${said && `: ${said}`}`;
    throw new Failure("setup_failed", message, { details: { step: index, run } });
  }
  if (source.repository && steps.length > 0) await commitAll(sandbox, place, signal);
}

function reasonOf({ ended, exit_code, full }: ExecResult, { timeout_s }: SetupStep): string {
  switch (ended) {
    case "exit":
      return `exit code ${exit_code}`;
    case "timeout":
      return `it was stopped after ${timeout_s} s; a larger \`timeout_s\` of the step gives it more`;
    case "disk_limit":
      return `it was stopped at a limit of the disk: ${full}`;
    case "memory_limit":
      return `it was stopped when its processes held more than ${SETUP_LIMITS.tree_bytes / 2 ** 30} GiB of memory`;
    case "output_limit":
      return `it was stopped when it had printed more than ${MAX_PRINTED_BYTES / 2 ** 20} MiB`;
  }
}

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
