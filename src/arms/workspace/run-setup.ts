import { existsSync } from "node:fs";
import { Failure } from "../../domain/failure.ts";
import type { SetupStep } from "../../domain/task.ts";
import { makeScratch } from "../sandbox/home.ts";
import { COMMAND_LIMITS, MAX_PRINTED_BYTES, MAX_SCRATCH_BYTES, type ProgramLimits } from "../sandbox/limits.ts";
import type { ExecResult, SandboxedCommand } from "../sandbox/sandbox.ts";
import { commitAll } from "./first-commit.ts";
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
