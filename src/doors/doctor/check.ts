import type { DoctorCheck } from "../../domain/doctor-report.ts";
import { excerpt } from "../../domain/excerpt.ts";
import { Failure, type FailureCode, wordsOf } from "../../domain/failure.ts";
import type { Task } from "../../domain/task.ts";
import type { Clock } from "../../runtime/clock.ts";

/** The result of one check. */
export type Finding = Pick<DoctorCheck, "status" | "detail" | "hint">;

/** One check of doctor. */
export interface Check<Subject> {
  readonly id: string;
  readonly title: string;
  /** Ids of earlier checks: after a fail or a skip of one of them this one is skipped. */
  readonly needs?: readonly string[];
  /** An error becomes a fail. The message of a Failure is shown as it is. */
  run(subject: Subject, signal: AbortSignal): Finding | Promise<Finding>;
}

/** A row of the table of checks that stands on others. */
export const after =
  (...needs: readonly string[]) =>
  <Subject>(id: string, title: string, run: Check<Subject>["run"]): Check<Subject> => ({ id, title, needs, run });

/** A row that stands on no other. */
export const check = after();

/** A row that looks at the fixture as every arm gets it. */
export const afterSetup = after("fixture.setup");

export const pass = (detail: string): Finding => ({ status: "pass", detail, hint: null });

export const warn = (detail: string, hint: string): Finding => ({ status: "warn", detail, hint });

export const fail = (detail: string, hint: string | null): Finding => ({ status: "fail", detail, hint });

/** There is nothing to check, or no way to check it. */
export const skip = (detail: string): Finding => ({ status: "skip", detail, hint: null });

/** What the work gives, or the Failure with which a run would be refused; given a code, no Failure but those. */
export async function orRefusal<T>(work: () => T | Promise<T>, code?: FailureCode): Promise<T | Failure> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure && (code === undefined || error.code === code)) return error;
    throw error;
  }
}

interface CheckRun<Subject> {
  readonly scope: DoctorCheck["scope"];
  readonly checks: readonly Check<Subject>[];
  /** Rows of checks that were made before; these may need them. */
  readonly before?: readonly DoctorCheck[];
  readonly subject: Subject;
  readonly clock: Clock;
  /** Takes provider keys out of what is reported. */
  readonly redact: (text: string) => string;
  /** Fires when the caller does not wait any more. */
  readonly signal: AbortSignal;
  readonly announce?: ((title: string) => void) | undefined;
  /** Fires when the time for all checks is over. The checks that are left are skipped. */
  readonly deadline?: AbortSignal;
}

/** Runs checks one after the other. @throws `signal.reason` when it fires; nothing else. */
export async function runChecks<Subject>(run: CheckRun<Subject>): Promise<DoctorCheck[]> {
  const done: DoctorCheck[] = [];
  for (const check of run.checks) {
    const began = run.clock.ticks();
    const found = unmetNeed(check, [...(run.before ?? []), ...done]) ?? (await findingOf(check, run));
    done.push(rowOf(run, check, { ...found, duration_ms: Math.max(0, Math.round(run.clock.ticks() - began)) }));
  }
  return done;
}

function unmetNeed<Subject>({ needs = [] }: Check<Subject>, done: readonly DoctorCheck[]): Finding | undefined {
  const unmet = done.find(({ id, status }) => needs.includes(id) && (status === "fail" || status === "skip"));
  if (unmet === undefined) return undefined;
  // The reason of a skip is the reason here too.
  return skip(unmet.status === "skip" && unmet.detail !== null ? unmet.detail : `needs "${unmet.title}", which failed`);
}

async function findingOf<Subject>(check: Check<Subject>, run: CheckRun<Subject>): Promise<Finding> {
  const { subject, signal, deadline } = run;
  signal.throwIfAborted();
  run.announce?.(check.title);
  if (deadline?.aborted) return skip("not tried: the time for the checks of a scenario was over");
  try {
    const found = await check.run(subject, deadline ? AbortSignal.any([signal, deadline]) : signal);
    signal.throwIfAborted();
    return found;
  } catch (error) {
    signal.throwIfAborted();
    if (deadline?.aborted) return warn("not finished: the time for the checks of a scenario was over", OUT_OF_TIME);
    return error instanceof Failure ? fail(error.message, null) : fail(`could not be checked: ${wordsOf(error)}`, null);
  }
}

const OUT_OF_TIME = "make the scenario's commands faster, or try again when the machine has less to do";

function rowOf<Subject>(
  { scope, redact }: CheckRun<Subject>,
  { id, title }: Check<Subject>,
  { status, detail, hint, duration_ms }: Finding & { readonly duration_ms: number },
): DoctorCheck {
  const shown = (text: string | null) => (text === null ? null : excerpt(redact(text)));
  return { id, scope, status, title, detail: shown(detail), hint: shown(hint), duration_ms };
}

/** Findings of checks that have nothing to look at. Several checks share one; people are told it once. */
export const IDLE = {
  no_recording: "no recording is replayed",
  no_agent: "no arm is an external agent",
  no_node: "no agent needs Node",
  no_import: "no arm ran elsewhere",
  no_endpoint: "no arm is an endpoint, and no check is posted",
  no_program: "no arm is a program",
  no_arm_files: "no arm has files of its own",
  no_skill: "no agent was given a skill",
  no_mcp: "no arm has MCP servers",
  no_image: "the task has no image",
  no_script: "no arm replays a script",
  no_judged: "no criterion is judged by a model",
  no_judge: "no model judges",
  no_setup: "there is no setup",
  no_fixture: "the workspace is empty",
  no_variables: "no command gets variables",
  no_globs: "no path is named by a pattern",
  no_hidden: "the hidden checks have no files",
  no_protected: "no path is protected",
  no_varies: "the scenario declares no `varies`",
  no_probe: "the scenario has no hidden checks",
  only_posted: "the hidden checks are posted, and nobody is asked",
  no_files: "the deliverable is the answer, not files",
  no_answer: "the deliverable is files, not the answer",
  no_reference: "the scenario has no reference_fix",
  not_examinable: "no check tests what the reference gives",
} as const;

/** There is no fix to look at: where the work is an answer, there can be none. */
export const withoutFix = ({ deliverable }: Pick<Task, "deliverable">): Finding =>
  deliverable.length === 0 ? pass(IDLE.no_files) : skip(IDLE.no_reference);
