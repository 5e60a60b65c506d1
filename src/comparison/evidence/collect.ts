import { type CallRecord, requiredResults, unreadCommands, violations } from "../../arms/policy/review.ts";
import type { FileSource, Workspace } from "../../arms/workspace/workspace.ts";
import type { Decision } from "../../domain/decision.ts";
import { NAMED_VIOLATIONS } from "../../domain/defaults.ts";
import type { Changes, ProbeResult, Violation } from "../../domain/evidence.ts";
import { Mistake } from "../../domain/failure.ts";
import { globMatcher } from "../../domain/path-glob.ts";
import type { Policies } from "../../domain/policies.ts";
import type { ScenarioInput } from "../../domain/scenario.ts";
import { type ArmSummary, wholeAnswer } from "../../domain/session.ts";
import { isUnknown } from "../../domain/size-of.ts";
import type { SkillUse } from "../../domain/skill.ts";
import type { Probe, Task } from "../../domain/task.ts";
import { withWhatWasMissing } from "./could-not-run.ts";
import type { PostingServices } from "./posted-check.ts";
import { scoreAgainstReference } from "./reference-fix.ts";
import { runProbe } from "./run-probe.ts";

interface Collection {
  readonly workspace: Workspace;
  /** All that it answered. */
  readonly answer: string | null;
  /** As `Left` has it. */
  readonly last_answer?: string | null | undefined;
  readonly calls: readonly CallRecord[];
  readonly decisions: readonly Decision[];
  /** Skills that it read. */
  readonly skills_used?: readonly SkillUse[] | undefined;
  /** Broken rules that were seen while the arm ran. */
  readonly seen: readonly Violation[];
  readonly task: Task;
  readonly input?: ScenarioInput | undefined;
  readonly policies: Policies;
  readonly overlay: FileSource;
  readonly redact: (text: string) => string;
  readonly services: PostingServices;
  /** The workspace is as it was, though nobody said that nothing was changed. */
  readonly unchanged_unknown?: boolean;
}

/** What hidden checks need. */
export type Probed = Omit<Collection, "seen"> & { readonly changes: Changes };

export type Evidence = Pick<
  ArmSummary,
  "changes" | "probe" | "violations" | "required" | "reference_fix" | "notes" | "notes_changed"
>;

/**
 * What a stopped arm left: its change, the results of the hidden checks, the rules it broke, how near it came to the
 * reference fix. Nobody needs the workspace afterwards.
 * @throws Failure for a fault of ours; the signal's reason when it fires.
 */
export async function collectEvidence(collection: Collection, signal: AbortSignal): Promise<Evidence> {
  const { workspace, task, policies, calls, seen, redact } = collection;
  const changes = redactChanges(await workspace.changes(), redact);
  signal.throwIfAborted();
  if (collection.unchanged_unknown) return await withoutChanges({ ...collection, changes }, signal);
  const probe = task.probe && (await probeOf({ ...collection, changes }, task.probe, signal));
  const required = await requiredResults(policies, calls, collection.skills_used);
  const unread = await unreadCommands(policies, calls);
  const altered = isUnknown(changes) ? await alteredProtected(workspace, policies) : null;
  const told = await workspace.notes();
  return {
    ...(told && { notes: told.notes }),
    ...(told && told.changed.length > 0 && { notes_changed: told.changed.slice(0, NAMED_VIOLATIONS) }),
    changes,
    probe,
    required,
    violations: violations(policies, { changes, altered, calls, required, seen, unread }),
    reference_fix: await referenceScore(task, { changes, probe }),
  };
}

/** What checks read of an arm's words. */
export const answerOf = (
  end: Pick<ArmSummary, "answers" | "final_answer">,
): Pick<Collection, "answer" | "last_answer"> => ({
  answer: wholeAnswer(end),
  ...(end.answers && { last_answer: end.final_answer }),
});

/** The evidence of a run that has only a log or an answer. Checks run where the answer alone is the work. */
async function withoutChanges(collection: Probed & Pick<Collection, "seen">, signal: AbortSignal): Promise<Evidence> {
  const { task, policies, calls, seen } = collection;
  const isAnswer = task.answer === true && task.deliverable.length === 0;
  const probe = task.probe && isAnswer ? await probeOf(collection, task.probe, signal) : null;
  const required = await requiredResults(policies, calls, collection.skills_used);
  const unread = await unreadCommands(policies, calls);
  const changes = { files: [] };
  return {
    changes: null,
    probe,
    required,
    violations: violations(policies, { changes, altered: null, calls, required, seen, unread }),
    reference_fix: null,
  };
}

/** Runs hidden checks on what an arm left. @throws as `runProbe` */
export async function probeOf(probed: Probed, probe: Probe, signal: AbortSignal): Promise<ProbeResult> {
  const { workspace, task, policies, overlay, answer, last_answer, calls, decisions, changes, input } = probed;
  const { redact, services } = probed;
  const { network, paths } = policies;
  const left = { answer, last_answer, calls, decisions, changes, input };
  const run = { probe, overlay, protected: paths.protected, network, redact, left, services };
  return await withWhatWasMissing(await runProbe(workspace, run, signal), { workspace, overlay, changes, task });
}

/** How near an arm came to the reference fix; null without one, and where its changes are not known. */
export async function referenceScore(
  { reference_fix, deliverable }: Task,
  { changes, probe }: Pick<Evidence, "changes" | "probe">,
): Promise<Evidence["reference_fix"]> {
  if (reference_fix === null || changes === null || isUnknown(changes)) return null;
  return await scoreAgainstReference(reference_fix, answerIn(changes, deliverable), probe);
}

/** Looks at the protected part alone, where the whole tree is too large; null when that part is too large, too. */
async function alteredProtected(workspace: Workspace, { paths }: Policies): Promise<readonly string[] | null> {
  try {
    return await workspace.altered(paths.protected);
  } catch (error) {
    if (error instanceof Mistake) return null;
    throw error;
  }
}

/** The part of a change that counts as the answer. */
function answerIn(changes: Changes, globs: readonly string[]): Changes {
  const counts = globMatcher(globs);
  return { ...changes, files: changes.files.filter((file) => counts(file.path)) };
}

/** Removes provider keys, also from the contents of files. */
export function redactChanges(changes: Changes, redact: (text: string) => string): Changes {
  const clean = (text: string | null) => (text === null ? null : redact(text));
  const files = changes.files.map((file) => ({ ...file, before: clean(file.before), after: clean(file.after) }));
  return { ...changes, files, patch: redact(changes.patch) };
}
