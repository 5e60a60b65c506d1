import { cannotRun } from "../../comparison/evidence/could-not-run.ts";
import { workspacePlaces } from "../../comparison/planning/task-image.ts";
import type { DraftSolution, MeasuredCheck, MeasuredDraft } from "../../comparison/scenario/draft-scenario.ts";
import type { LoadedScenario } from "../../comparison/scenario/loaded-scenario.ts";
import { CHECK_OUTPUT_KB } from "../../domain/defaults.ts";
import type { Changes } from "../../domain/evidence.ts";
import { excerpt } from "../../domain/excerpt.ts";
import { Failure, Mistake } from "../../domain/failure.ts";
import type { Task } from "../../domain/task.ts";
import { sandboxForOwn, sandboxOf } from "./scenario/diagnose-scenario.ts";
import { DryRun, type ProbedTwice } from "./scenario/dry-run.ts";
import type { Services } from "./services.ts";

/** A scenario whose checks are tried. */
interface TriedScenario {
  /** It has no reference yet where `solution` makes one. */
  readonly loaded: LoadedScenario;
  readonly solution?: {
    readonly script: DraftSolution;
    /** Makes the patch the reference of the same scenario. */
    readonly keep: (patch: string) => Promise<LoadedScenario>;
  };
}

interface MeasuredScenario {
  readonly seen: MeasuredDraft;
  /** Why its script solved nothing; null when it did, when there is none, and when setup failed. */
  readonly unsolved: string | null;
}

/**
 * Runs setup once, then the script that solves the task, and the checks as doctor does; says why when they cannot be run.
 * @throws the signal's reason when it fires, Failure `invalid_scenario` of `keep`
 */
export async function measureChecks(
  services: Services,
  { loaded, solution }: TriedScenario,
  signal: AbortSignal,
): Promise<MeasuredScenario> {
  const untried = (failed: string) => ({ seen: { checks: [], failed: services.redact(failed) }, unsolved: null });
  const sandbox = await sandboxForOwn(services, loaded);
  if (sandbox instanceof Failure) return untried(sandbox.message);
  const places = await workspacePlaces(services, loaded);
  await using dryRun = new DryRun({ loaded, sandbox, places, redact: services.redact, signal });
  let task = loaded.definition.task;
  try {
    services.announce?.("Setup");
    await dryRun.pristine.setup(task.setup, signal);
    const solved = solution && (await solve(services, dryRun, solution.script, signal));
    if (solved && "patch" in solved) task = (await solution?.keep(solved.patch))?.definition.task ?? task;
    services.announce?.("Checks before and after the fix");
    const before = await dryRun.untouched(signal);
    const after = task.reference_fix === null ? null : await dryRun.solved(signal, task);
    const unsolved = solved && "failed" in solved ? services.redact(solved.failed) : null;
    return { seen: { checks: measured(task, before, after), failed: null }, unsolved };
  } catch (error) {
    signal.throwIfAborted();
    return untried(wordsOfTrial(error));
  }
}

/** @throws what says nothing of the trial */
function wordsOfTrial(error: unknown): string {
  const isOfTrial = error instanceof Mistake || (error instanceof Failure && error.code !== "invalid_scenario");
  if (isOfTrial) return error.message;
  throw error;
}

const measured = ({ probe }: Task, before: ProbedTwice | null, after: ProbedTwice | null): readonly MeasuredCheck[] =>
  (probe?.checks ?? []).map(({ id }) => ({
    before: seen(before, id),
    after: seen(after, id),
    cannot_run: whyNot(after ?? before, id),
    reason: resultOf(after, id)?.reason ?? null,
  }));

/** @throws Failure `sandbox_unavailable` where no command can be tried */
export async function demandSandbox(services: Services): Promise<void> {
  const sandbox = await sandboxOf(services);
  if (sandbox instanceof Failure) throw sandbox;
}

/** The reference fix has checks of its own choice, so places do not tell them. */
const resultOf = (probed: ProbedTwice | null, id: string, time: 0 | 1 = 0) =>
  probed?.[time].checks.find((check) => check.id === id);

function whyNot(probed: ProbedTwice | null, id: string): string | null {
  const result = resultOf(probed, id);
  return result === undefined ? null : cannotRun(result);
}

function seen(probed: ProbedTwice | null, id: string): "pass" | "fail" | null {
  const [first, second] = [resultOf(probed, id, 0), resultOf(probed, id, 1)];
  const passed = first?.status === "pass";
  if (first === undefined || passed !== (second?.status === "pass")) return null;
  return passed ? "pass" : "fail";
}

/** What a script changed in the fixture, as a patch, or why it gave none. */
type Solved = { readonly patch: string } | { readonly failed: string };

/** Runs a script that solves the task, without a network. Its own files are no part of the change. */
async function solve(
  services: Services,
  { pristine }: DryRun,
  { run, files, timeout_s }: DraftSolution,
  signal: AbortSignal,
): Promise<Solved> {
  services.announce?.("The task's own solution");
  await using workspace = pristine.open();
  try {
    for (const [path, text] of Object.entries(files)) await workspace.writeText(path, text);
    const limits = { timeout_ms: timeout_s * 1000, max_output_bytes: CHECK_OUTPUT_KB * 1024 };
    const { ended, exit_code, output } = await workspace.exec({ run, ...limits, network: "none" }, signal);
    signal.throwIfAborted();
    if (ended !== "exit" || exit_code !== 0)
      return { failed: `${ended === "exit" ? `exit code ${exit_code}` : ended}; ${lastLine(output)}` };
    for (const path of Object.keys(files)) await workspace.remove(path);
    return patchOf(await workspace.changes());
  } catch (error) {
    signal.throwIfAborted();
    return { failed: wordsOfTrial(error) };
  }
}

const lastLine = (output: string) => excerpt(output.trim().split("\n").at(-1) ?? "", LINE_CHARS);

/** Characters of a script's last line that are told. */
const LINE_CHARS = 200;

/** A patch carries text alone. What is no text, such as an archive, is left out; the checks tell whether it matters. */
function patchOf({ files, patch, truncated, unknown }: Changes): Solved {
  if (unknown) return { failed: unknown };
  if (files.every(({ binary }) => binary)) return { failed: "it changes no text file" };
  if (truncated) return { failed: "its change is larger than the limit of a patch" };
  return { patch: patch.replace(/^Not shown .*\n/gm, "") };
}
