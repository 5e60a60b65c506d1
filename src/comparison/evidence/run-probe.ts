import { RE2JS } from "re2js";
import type { ExecResult } from "../../arms/sandbox/sandbox.ts";
import { TreeTooLarge } from "../../arms/workspace/io-failure.ts";
import type { FileSource, Workspace } from "../../arms/workspace/workspace.ts";
import { CHECK_OUTPUT_KB, NAMED_VIOLATIONS } from "../../domain/defaults.ts";
import { tally } from "../../domain/equal-work.ts";
import type { CheckResult, ProbeResult } from "../../domain/evidence.ts";
import { excerpt } from "../../domain/excerpt.ts";
import { Mistake } from "../../domain/failure.ts";
import { regexOf } from "../../domain/regex-of.ts";
import type { Probe, ProbeCheck } from "../../domain/task.ts";

export interface ProbeRun {
  readonly probe: Probe;
  /** The hidden files. */
  readonly overlay: FileSource;
  /** Globs put back to their pristine state before the hidden files are laid over. */
  readonly protected: readonly string[];
  readonly network: "none" | "open";
  readonly redact: (text: string) => string;
}

/**
 * Runs the hidden checks in order. Each gets a copy of the final workspace, because the code under test could rewrite
 * the hidden files of a later one. The arm's own workspace is left alone.
 * @throws Failure for a fault of ours; the signal's reason when it fires.
 */
export async function runProbe(workspace: Workspace, run: ProbeRun, signal: AbortSignal): Promise<ProbeResult> {
  const checks: CheckResult[] = [];
  const restored = new Set<string>();
  let refusal: Mistake | undefined;
  for (const check of run.probe.checks) {
    signal.throwIfAborted();
    try {
      // Another copy would take as long, and end the same.
      if (refusal instanceof TreeTooLarge) throw refusal;
      const { workspace: copy, restored: paths } = await workspace.fork({
        restore: run.protected,
        overlay: run.overlay,
      });
      await using subject = copy;
      for (const path of paths) restored.add(path);
      checks.push(await runCheck(subject, check, run, signal));
    } catch (error) {
      // The arm's work cannot be checked. That is no success, and no fault of ours.
      if (!(error instanceof Mistake)) throw error;
      refusal = error;
      checks.push(judgeCheck(check, NOT_RUN, error.message));
    }
  }
  return { ...tally(checks), checks, restored: [...restored].sort().slice(0, NAMED_VIOLATIONS) };
}

async function runCheck(
  subject: Workspace,
  check: ProbeCheck,
  run: ProbeRun,
  signal: AbortSignal,
): Promise<CheckResult> {
  const command = { run: check.run, timeout_ms: check.timeout_s * 1000, max_output_bytes: CHECK_OUTPUT_KB * 1024 };
  const result = await subject.exec({ ...command, network: run.network }, signal);
  signal.throwIfAborted();
  return judgeCheck(check, { ...result, output: run.redact(result.output) });
}

const NOT_RUN: ExecResult = { ended: "disk_limit", exit_code: null, output: "", bytes: 0, duration_ms: 0 };

function judgeCheck(check: ProbeCheck, result: ExecResult, reason = whyNot(check, result)): CheckResult {
  return {
    id: check.id,
    status: reason === null ? "pass" : result.ended === "exit" ? "fail" : "error",
    required: check.required,
    weight: check.weight,
    before: check.before,
    exit_code: result.exit_code,
    reason,
    output: excerpt(result.output),
    duration_ms: Math.round(result.duration_ms),
  };
}

function whyNot(check: ProbeCheck, result: ExecResult): string | null {
  if (result.ended === "timeout") return `timed out after ${check.timeout_s} s`;
  if (result.ended !== "exit") return `stopped: ${result.ended.replace("_", " ")}`;
  if (result.exit_code !== check.expect_exit) return `exit code ${result.exit_code}, expected ${check.expect_exit}`;
  if (check.output_matches !== null && !outputMatches(check.output_matches, result.output))
    return `output does not contain ${check.output_matches}${leftOut(result)}`;
  return null;
}

/** What nobody has looked at is not said to lack the text. */
const leftOut = ({ bytes }: ExecResult) =>
  bytes > CHECK_OUTPUT_KB * 1024
    ? ` in the ${CHECK_OUTPUT_KB} kB that are kept of its beginning and end; it printed ${Math.round(bytes / 1024)} kB`
    : "";

/** `/regex/` or literal text, looked for anywhere in `output`. Linear time whatever the pattern. */
function outputMatches(pattern: string, output: string): boolean {
  const regex = regexOf(pattern);
  return regex === null ? output.includes(pattern) : RE2JS.compile(regex, RE2JS.MULTILINE).matcher(output).find();
}
