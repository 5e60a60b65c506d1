import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Draft, draftScenario, type MeasuredDraft } from "../../../comparison/scenario/draft-scenario.ts";
import { writeMaterial } from "../../../comparison/scenario/draft-tasks.ts";
import { loadScenarioFile } from "../../../comparison/scenario/load-scenario.ts";
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
