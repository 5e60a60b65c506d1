import { randomUUID } from "node:crypto";
import type { ExecResult } from "../../arms/sandbox/sandbox.ts";
import { TreeTooLarge } from "../../arms/workspace/io-failure.ts";
import type { FileSource, Workspace, WorkspaceCommand } from "../../arms/workspace/workspace.ts";
import type { Decision } from "../../domain/decision.ts";
import { CHECK_OUTPUT_KB, NAMED_VIOLATIONS } from "../../domain/defaults.ts";
import { tally } from "../../domain/equal-work.ts";
import type { CheckResult, ProbeResult } from "../../domain/evidence.ts";
import { excerpt } from "../../domain/excerpt.ts";
import { Mistake } from "../../domain/failure.ts";
import { checkKind, type FileSet, type Probe, type ProbeCheck } from "../../domain/task.ts";
import type { PostingServices } from "./posted-check.ts";
import {
  type CheckFinding,
  findText,
  type Left,
  notChecked,
  patternText,
  pureCheck,
  type Readable,
} from "./pure-check.ts";
import { printedParts, readScore, scoringCommand } from "./scored-check.ts";

/**
 * Shown to a check that is a command: `answer.txt`, `calls.jsonl` (`seq`, `tool`, `input`, `ok`, `output`, cut at 4 kB as in the
 * log), `change.patch` and, for a row of inputs, `input.json` (`id`, `values`). They do not tell which arm it is, its model, prompt or price.
 */
function evidenceFiles({ answer, decisions, changes, input }: Readable): NonNullable<WorkspaceCommand["shown"]> {
  const files: FileSet["files"] = {
    "answer.txt": answer ?? "",
    "calls.jsonl": decisions.map(callLine).join(""),
    "change.patch": changes.patch,
    ...(input && { "input.json": `${JSON.stringify(input)}\n` }),
  };
  return { variable: "ABEVAL_EVIDENCE", at: "/run/abeval/evidence", files };
}

function callLine({ kind, seq, detail }: Decision): string {
  if (kind !== "tool_call" || detail === undefined) return "";
  const { tool, input, ok, output } = detail;
  return `${JSON.stringify({ seq, tool, input, ok, output })}\n`;
}

export interface ProbeRun {
  readonly probe: Probe;
  /** The hidden files. */
  readonly overlay: FileSource;
  /** Globs put back to their pristine state before the hidden files are laid over. */
  readonly protected: readonly string[];
  readonly network: "none" | "open";
  readonly redact: (text: string) => string;
  readonly left: Left & Readable;
  /** What posting takes; absent: no check is posted. */
  readonly services?: PostingServices;
}

/**
 * Runs the hidden checks in order. Each gets a copy of the final workspace, because the code under test could rewrite
 * the hidden files of a later one. The arm's own workspace is left alone.
 * @throws Failure for a fault of ours; the signal's reason when it fires.
 */
export async function runProbe(workspace: Workspace, run: ProbeRun, signal: AbortSignal): Promise<ProbeResult> {
  const checks: CheckResult[] = [];
  const shown = evidenceFiles(run.left);
  const restored = new Set<string>();
  let refusal: Mistake | undefined;
  for (const check of run.probe.checks) {
    signal.throwIfAborted();
    if (checkKind(check) !== "run") {
      checks.push({ ...resultOf(check), ...(await lookedAt(check, run, signal)) });
      continue;
    }
    try {
      // Another copy would take as long, and end the same.
      if (refusal instanceof TreeTooLarge) throw refusal;
      const { workspace: copy, restored: paths } = await workspace.fork({
        restore: run.protected,
        overlay: run.overlay,
      });
      await using subject = copy;
      for (const path of paths) restored.add(path);
      checks.push(await runCheck(subject, check, { ...run, shown }, signal));
    } catch (error) {
      // The arm's work cannot be checked. That is no success, and no fault of ours.
      if (!(error instanceof Mistake)) throw error;
      refusal = error;
      checks.push(judgeCheck(check, NOT_RUN, error.message));
    }
  }
  return { ...tally(checks), checks, restored: [...restored].sort().slice(0, NAMED_VIOLATIONS) };
}

/** What needs no copy of the workspace. Nothing of endpoints is loaded where no check is posted. */
async function lookedAt(
  check: ProbeCheck,
  run: ProbeRun,
  signal: AbortSignal,
): Promise<Partial<CheckResult> & CheckFinding> {
  const { posted } = check;
  if (posted === undefined) return await pureCheck(check, run.left, signal);
  if (run.services === undefined) throw new Error("nobody said how checks are posted");
  const { postedCheck } = await import("./posted-check.ts");
  return await postedCheck(run.services, { ...run, check, posted }, signal);
}

async function runCheck(
  subject: Workspace,
  check: ProbeCheck,
  { network, redact, shown }: Pick<ProbeRun, "network" | "redact"> & Required<Pick<WorkspaceCommand, "shown">>,
  signal: AbortSignal,
): Promise<CheckResult> {
  const limits = { timeout_ms: check.timeout_s * 1000, max_output_bytes: CHECK_OUTPUT_KB * 1024 };
  const mark = `abeval-${randomUUID()}`;
  const run = check.score ? scoringCommand(check.run ?? "", mark) : (check.run ?? "");
  const result = await subject.exec({ run, ...limits, network, shown }, signal);
  signal.throwIfAborted();
  const output = redact(result.output);
  const { stdout, all } = check.score ? printedParts(output, mark) : { stdout: "", all: output };
  const printed = { ...result, output: all };
  const judged = judgeCheck(check, printed);
  if (judged.status !== "pass") return judged;
  const found = check.output_matches === null ? judged : await whetherPrinted(check.output_matches, printed, signal);
  if (found.status !== "pass" || !check.score) return { ...judged, ...found };
  return { ...judged, ...readScore(check, stdout) };
}

async function whetherPrinted(
  pattern: string,
  { output, bytes }: ExecResult,
  signal: AbortSignal,
): Promise<CheckFinding> {
  const shown = patternText(pattern);
  const sought = await findText(pattern, output, signal);
  if (!("value" in sought)) return notChecked(`looking for ${shown} in the output`, sought);
  if (sought.value) return { status: "pass", reason: null };
  return { status: "fail", reason: `output does not contain ${shown}${leftOut(bytes)}` };
}

const NOT_RUN: ExecResult = { ended: "disk_limit", exit_code: null, output: "", bytes: 0, duration_ms: 0 };

function judgeCheck(check: ProbeCheck, result: ExecResult, reason = whyNot(check, result)): CheckResult {
  return {
    ...resultOf(check),
    status: reason === null ? "pass" : result.ended === "exit" ? "fail" : "error",
    exit_code: result.exit_code,
    reason,
    output: excerpt(result.output),
    duration_ms: Math.round(result.duration_ms),
  };
}

const resultOf = ({ id, required, weight, before, score, min_score }: ProbeCheck) => ({
  ...{ id, required, weight, before },
  ...(score && { score: 0, ...(min_score !== undefined && { min_score }) }),
  ...{ exit_code: null, output: "", duration_ms: 0 },
});

function whyNot(check: ProbeCheck, result: ExecResult): string | null {
  if (result.ended === "timeout") return `timed out after ${check.timeout_s} s`;
  if (result.ended !== "exit") return `stopped: ${result.ended.replace("_", " ")}`;
  if (result.exit_code !== check.expect_exit) return `exit code ${result.exit_code}, expected ${check.expect_exit}`;
  return null;
}

/** What nobody has looked at is not said to lack the text. */
const leftOut = (bytes: number) =>
  bytes > CHECK_OUTPUT_KB * 1024
    ? ` in the ${CHECK_OUTPUT_KB} kB that are kept of its beginning and end; it printed ${Math.round(bytes / 1024)} kB`
    : "";
