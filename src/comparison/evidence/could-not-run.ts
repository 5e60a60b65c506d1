import { posix } from "node:path";
import { overlaidPaths } from "../../arms/workspace/lay-over.ts";
import type { FileSource, Workspace } from "../../arms/workspace/workspace.ts";
import type { Changes, CheckResult, ProbeResult } from "../../domain/evidence.ts";
import { Mistake } from "../../domain/failure.ts";
import type { Task } from "../../domain/task.ts";

type Asked = Pick<Task, "prompt" | "reference_fix" | "deliverable">;

/** Where checks ran, and on what. */
interface Ran {
  readonly workspace: Pick<Workspace, "at" | "list">;
  /** What was laid over the workspace for the checks. */
  readonly overlay: FileSource;
  /** What the arm changed. */
  readonly changes: Pick<Changes, "files">;
  readonly task: Asked;
}

interface ChecksPlace {
  readonly at: string;
  /** Whether a file lies there that no arm touched. */
  readonly isGiven: (path: string) => boolean;
}

/** The results with the reason beside each check that lacked something which no arm was asked to make. */
export async function withWhatWasMissing(probe: ProbeResult, ran: Ran): Promise<ProbeResult> {
  const given = mayLackProgram(probe) ? await givenPaths(ran) : new Set<string>();
  const place = { at: ran.workspace.at, isGiven: (path: string) => given.has(path) };
  return { ...probe, checks: probe.checks.map((check) => withReason(check, ran.task, place)) };
}

/** Somebody must look where the program should be. */
const mayLackProgram = ({ checks }: ProbeResult): boolean =>
  checks.some((check) => check.status !== "pass" && missingProgramOf(check)?.name?.includes("/"));

async function givenPaths({ workspace, overlay, changes }: Ran): Promise<ReadonlySet<string>> {
  const changed = new Set(changes.files.map(({ path }) => path));
  const present = await workspace.list().catch((error: unknown) => {
    if (error instanceof Mistake) return [];
    throw error;
  });
  const untouched = present.map(({ path }) => path).filter((path) => !changed.has(path));
  return new Set([...untouched, ...(await overlaidPaths(overlay))]);
}

function withReason(check: CheckResult, task: Asked, place: ChecksPlace): CheckResult {
  const could_not_run = whyNotRun(check, task, place);
  return could_not_run === null ? check : { ...check, could_not_run };
}

/**
 * Why a check could not run for want of what no arm was asked to make; null when it ran, when it was stopped, and when an arm may be
 * to blame.
 */
function whyNotRun(check: CheckResult, task: Asked, place: ChecksPlace): string | null {
  const missing = check.status === "fail" ? missingProgramOf(check) : null;
  return missing === null || isForArms(missing, task, place) ? null : missing.why;
}

/**
 * A program in the workspace that an arm changed, or that is not there, may be what the task asks for, and so may a module that
 * the task speaks of. One that lies there as it was given cannot start whatever an arm does.
 */
function isForArms(
  { kind, name }: Missing,
  { prompt, reference_fix, deliverable }: Asked,
  place: ChecksPlace,
): boolean {
  if (name === null || TEST_RUNNERS.has(name)) return false;
  if (kind === "program") {
    const path = pathInWorkspace(name, place.at);
    return path !== null && !place.isGiven(path);
  }
  const [top = name] = name.split(".");
  return [prompt, reference_fix?.patch ?? "", ...deliverable].some((text) => wordsOf(text).has(top));
}

/** Often named in a task, and never its work. */
const TEST_RUNNERS: ReadonlySet<string> = new Set(["pytest", "nose2", "tox", "coverage", "unittest"]);

/** Null for what lies elsewhere, and for a program that is looked for where programs are. */
function pathInWorkspace(name: string, at: string): string | null {
  if (!name.includes("/")) return null;
  const path = posix.relative(at, posix.resolve(at, name));
  return path === "" || path.startsWith("../") || path === ".." ? null : path;
}

const wordsOf = (text: string) => new Set(text.match(/\w+/g));

/** A shell's statuses for a command that it finds and cannot start, and for one that it does not find. */
const [NOT_EXECUTABLE, NOT_FOUND] = [126, 127];

/** What a command lacked. */
interface Missing {
  readonly kind: "module" | "program";
  /** The program as the output names it; null when it does not. */
  readonly name: string | null;
  readonly why: string;
}

/**
 * What kept a command from checking anything, as far as can be told; null when nothing did.
 * Before the reference fix is applied, a missing module may be what the fix adds.
 */
function missingProgramOf({ exit_code, output }: Pick<CheckResult, "exit_code" | "output">): Missing | null {
  const [, module] = /No module named '?([\w.-]+)/.exec(output) ?? [];
  if (module !== undefined && exit_code !== 0)
    return { kind: "module", name: module, why: `${module} is not installed` };
  if (exit_code !== NOT_FOUND && exit_code !== NOT_EXECUTABLE) return null;
  const name = (exit_code === NOT_FOUND ? ABSENT : REFUSED).exec(output)?.[1] ?? null;
  const how = exit_code === NOT_FOUND ? "is not found" : "cannot be started";
  return { kind: "program", name, why: `${name ?? "its program"} ${how}` };
}

const ABSENT = /(?<![\w./@+-])([\w./@+-]+): (?:command )?not found/;
const REFUSED = /(?<![\w./@+-])([\w./@+-]+): (?:Permission denied|[Cc]annot execute|Exec format error)/;

/** As Node, Bun and Jest name a package that they do not find. A path is a file of the workspace. */
const PACKAGE = /Cannot find (?:module|package) ['"]([^'"./][^'"\n]{0,200})['"]/;

/**
 * What a check on the reference fix lacks, as one sentence that says what to do. No arm is to blame for a package that is missing
 * there.
 */
export function cannotRun(result: Pick<CheckResult, "exit_code" | "output">): string | null {
  const missing = missingProgramOf(result) ?? missingPackage(result);
  if (missing === null) return null;
  const shown = missing.kind === "program" ? ", or show it with --sandbox-read" : "";
  return `${missing.why}; install it in \`setup\`${shown}`;
}

function missingPackage({ exit_code, output }: Pick<CheckResult, "exit_code" | "output">): Missing | null {
  const name = exit_code === 0 ? undefined : PACKAGE.exec(output)?.[1];
  return name === undefined ? null : { kind: "module", name, why: `${name} is not installed` };
}
