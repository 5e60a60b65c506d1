import { Failure } from "../../../domain/failure.ts";
import type { SharedStore } from "../../../store/shared-store.ts";
import type { LoadedScenario } from "../../scenario/loaded-scenario.ts";
import { materialsDigest, packMaterials } from "../../scenario/pack.ts";
import { Unusable } from "../../scenario/unusable.ts";
import type { Workplace } from "./workplace.ts";

/** Puts a scenario's files where every worker finds them. @throws Failure `workspace_failed`, `storage_full`, `storage_failed` */
export async function keepMaterials(
  { materials }: Pick<SharedStore, "materials">,
  loaded: LoadedScenario,
): Promise<void> {
  const digest = materialsDigest(loaded.definition);
  if (!(await materials.has(digest))) await materials.keep(digest, packMaterials(loaded));
}

/** A scenario as it was offered, on this machine until it is disposed. @throws Failure `workspace_failed`, `storage_failed` */
export async function openMaterials(
  { shared, files }: Pick<Workplace, "shared" | "files">,
  stored: Pick<LoadedScenario, "definition" | "digest" | "file">,
): Promise<LoadedScenario & AsyncDisposable> {
  try {
    const place = await files.open(stored.definition, (digest) => shared.materials.read(digest));
    return { ...stored, ...place };
  } catch (error) {
    // Whoever offers it next stores it anew.
    if (error instanceof Failure && error.cause instanceof Unusable)
      await shared.materials.drop(materialsDigest(stored.definition));
    throw error;
  }
}
