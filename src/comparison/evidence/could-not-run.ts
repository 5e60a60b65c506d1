import type { CheckResult, ProbeResult } from "../../domain/evidence.ts";
import type { Task } from "../../domain/task.ts";
import { type Missing, missingProgramOf } from "./cannot-run.ts";

type Asked = Pick<Task, "prompt" | "reference_fix" | "deliverable">;

/** The results with the reason beside each check that lacked something which no arm was asked to make. */
export function withWhatWasMissing(probe: ProbeResult, task: Asked): ProbeResult {
  return { ...probe, checks: probe.checks.map((check) => withReason(check, task)) };
}

function withReason(check: CheckResult, task: Asked): CheckResult {
  const could_not_run = whyNotRun(check, task);
  return could_not_run === null ? check : { ...check, could_not_run };
}

/**
 * Why a check could not run for want of what no arm was asked to make; null when it ran, when it was stopped, and when an arm may be
 * to blame.
 */
export function whyNotRun(check: CheckResult, task: Asked): string | null {
  const missing = check.status === "fail" ? missingProgramOf(check) : null;
  return missing === null || isForArms(missing, task) ? null : missing.why;
}

/** A program with a path lies in the workspace; a module that the task speaks of may be what it asks for. */
function isForArms({ kind, name }: Missing, { prompt, reference_fix, deliverable }: Asked): boolean {
  if (name === null || TEST_RUNNERS.has(name)) return false;
  if (kind === "program") return name.includes("/") && !SYSTEM_PATH.test(name);
  const [top = name] = name.split(".");
  return [prompt, reference_fix?.patch ?? "", ...deliverable].some((text) => wordsOf(text).has(top));
}

/** Often named in a task, and never its work. */
const TEST_RUNNERS: ReadonlySet<string> = new Set(["pytest", "nose2", "tox", "coverage", "unittest"]);

const SYSTEM_PATH = /^\/(usr|bin|sbin|opt|lib)\//;

const wordsOf = (text: string) => new Set(text.match(/\w+/g));
