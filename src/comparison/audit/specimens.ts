import type { Sandbox } from "../../arms/sandbox/sandbox.ts";
import { openPristine } from "../../arms/workspace/pristine.ts";
import type { Workspace, WorkspacePlaces } from "../../arms/workspace/workspace.ts";
import type { Changes } from "../../domain/evidence.ts";
import { Failure, Mistake } from "../../domain/failure.ts";
import { redactChanges } from "../evidence/collect.ts";
import { fixtureSource } from "../scenario/fixture-source.ts";
import type { LoadedScenario } from "../scenario/loaded-scenario.ts";
import { type EditedWork, HARMLESS_EDITS } from "./harmless-edits.ts";

/** Evidence that no arm made. */
export interface Specimen {
  readonly name: string;
  readonly changes: Changes;
  readonly final_answer: string;
}

export interface Specimens {
  /** What does not do the task, such as the fixture as it is. */
  readonly worse: readonly Specimen[];
  /** Work that does the task. */
  readonly reference: Specimen;
  /** The reference, changed in form alone. Those for which it has no place are left out. */
  readonly edited: readonly Specimen[];
}

interface Bench {
  readonly loaded: LoadedScenario;
  readonly sandbox: Sandbox;
  readonly places: WorkspacePlaces | undefined;
  readonly redact: (text: string) => string;
}

/** What every specimen says of itself: no claim that a judge could weigh. */
const ANSWER = "I am done.";

/**
 * Makes the specimens in real workspaces, so that a judge reads what it would read of an arm.
 * @throws Failure `setup_failed`, `workspace_failed`, `invalid_scenario` for a fix that does not apply; the signal's reason
 * when it fires.
 */
export async function gatherSpecimens(bench: Bench, patch: string, signal: AbortSignal): Promise<Specimens> {
  const { loaded, sandbox, places } = bench;
  await using pristine = openPristine({
    source: fixtureSource(loaded),
    places,
    ...{ sandbox, keep: false, signal },
  });
  await pristine.setup(loaded.definition.task.setup, signal);
  const specimen = async (name: string, final_answer: string, prepare: (workspace: Workspace) => Promise<void>) => {
    signal.throwIfAborted();
    await using workspace = pristine.open();
    await prepare(workspace);
    return { name, final_answer, changes: redactChanges(await workspace.changes(), bench.redact) };
  };
  const { reference_answer } = loaded.definition.task;
  const nop = await specimen("nop", ANSWER, async () => undefined);
  const reference = await specimen("reference", reference_answer?.text ?? ANSWER, (workspace) =>
    applyFix(workspace, patch),
  );
  const edited: Specimen[] = [];
  for (const edit of HARMLESS_EDITS) {
    const work = edit.apply(workOf(reference));
    if (work === undefined) continue;
    edited.push(await specimen(edit.id, work.final_answer, (workspace) => applyEdited(workspace, patch, work)));
  }
  return { worse: [nop], reference, edited };
}

async function applyFix(workspace: Workspace, patch: string): Promise<void> {
  try {
    await workspace.applyPatch(patch);
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    throw new Failure("invalid_scenario", `the known work does not apply to the fixture: ${error.message}`, {
      cause: error,
    });
  }
}

async function applyEdited(workspace: Workspace, patch: string, { files }: EditedWork): Promise<void> {
  await applyFix(workspace, patch);
  for (const { path, text } of files) await workspace.writeText(path, text);
}

const workOf = ({ changes, final_answer }: Specimen): EditedWork => ({
  files: changes.files.flatMap(({ path, after, before }) => (after === null ? [] : [{ path, text: after, before }])),
  final_answer,
  patch_chars: changes.patch.length,
});
