import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { imagesIn } from "../../../comparison/planning/task-image.ts";
import { type Draft, draftScenario, type MeasuredDraft } from "../../../comparison/scenario/draft-scenario.ts";
import { type FoundTask, imagesForTasks, writeMaterial } from "../../../comparison/scenario/draft-tasks.ts";
import { loadScenarioFile } from "../../../comparison/scenario/load-scenario.ts";
import type { ScenarioError } from "../../../comparison/scenario/parse-scenario.ts";
import type { Failure } from "../../../domain/failure.ts";
import { measureChecks } from "../../doctor/measure-checks.ts";
import type { Services } from "../../doctor/services.ts";

/** A draft that was written into a directory of its own and tried. */
export interface StagedDraft {
  /** Without its reference where that was a script that gave none. */
  readonly draft: Draft;
  readonly seen: MeasuredDraft;
  /** Why its script solved nothing; null when it did, when there is none, and when setup failed. */
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
  const script = drafted.reference?.kind === "script" ? drafted.reference : null;
  let draft: Draft = script === null ? drafted : { ...drafted, reference: null };
  const keep = async (patch: string) => {
    await writeMaterial([{ path: "reference.patch", text: patch }], own);
    draft = { ...drafted, reference: { kind: "patch" } };
    await writeFile(path, draftScenario(draft));
    return await loadScenarioFile(path);
  };
  await writeFile(path, draftScenario(draft));
  const loaded = await loadScenarioFile(path);
  const tried = { loaded, ...(script !== null && { solution: { script, keep } }) };
  const { seen, unsolved } = await measureChecks(services, tried, signal);
  await writeFile(path, draftScenario(draft, seen));
  return { draft, seen, unsolved };
}

/** The images that tasks may run on; undefined where the user names none. */
export type ImagesOfUser = Parameters<FoundTask["draft"]>[1];

export async function taskImages({ images_dir }: Services): Promise<ImagesOfUser> {
  return images_dir === undefined ? undefined : imagesForTasks(await imagesIn(images_dir));
}

/** Leaves out the line numbers, which are those of a deleted draft. */
export function reasonsOf({ details, message }: Failure): string {
  const errors: unknown = details?.["errors"];
  if (!Array.isArray(errors)) return message;
  return (errors as ScenarioError[]).map(({ field, message: said }) => `${field}: ${said}`).join("; "); // as parseScenario documents
}
