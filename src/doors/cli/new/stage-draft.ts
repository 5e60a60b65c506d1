import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Draft, draftScenario, type MeasuredDraft } from "../../../comparison/scenario/draft-scenario.ts";
import { writeMaterial } from "../../../comparison/scenario/draft-tasks.ts";
import { loadScenarioFile } from "../../../comparison/scenario/load-scenario.ts";
import { measureChecks, solveTask } from "../../doctor/measure-checks.ts";
import type { Services } from "../../doctor/services.ts";

/** A draft that was written into a directory of its own and tried. */
export interface StagedDraft {
  /** Without its reference where that was a script that gave none. */
  readonly draft: Draft;
  readonly seen: MeasuredDraft;
  /** Why its script solved nothing; null when it did, or when there is none. */
  readonly unsolved: string | null;
}

/**
 * Writes the scenario and its material into an existing directory: what its checks give is measured first.
 * @throws Unusable, Failure `invalid_scenario`; what it wrote is left to the caller
 */
export async function stageDraft(
  services: Services,
  drafted: Draft,
  { directory, file }: { readonly directory: string; readonly file: string },
  signal: AbortSignal,
): Promise<StagedDraft> {
  const path = join(directory, file);
  const own = join(directory, drafted.name);
  await writeMaterial(drafted.material, own);
  const { draft, unsolved } = await solved(services, drafted, { path, own }, signal);
  await writeFile(path, draftScenario(draft));
  services.announce?.("Checks before and after the fix");
  const seen = await measureChecks(services, await loadScenarioFile(path), signal);
  await writeFile(path, draftScenario(draft, seen));
  return { draft, seen, unsolved };
}

async function solved(
  services: Services,
  draft: Draft,
  { path, own }: { readonly path: string; readonly own: string },
  signal: AbortSignal,
): Promise<Pick<StagedDraft, "draft" | "unsolved">> {
  if (draft.reference?.kind !== "script") return { draft, unsolved: null };
  services.announce?.("The task's own solution");
  const open = { ...draft, reference: null };
  await writeFile(path, draftScenario(open));
  const found = await solveTask(services, await loadScenarioFile(path), draft.reference, signal);
  if ("failed" in found) return { draft: open, unsolved: found.failed };
  await writeMaterial([{ path: "reference.patch", text: found.patch }], own);
  return { draft: { ...draft, reference: { kind: "patch" } }, unsolved: null };
}
