import type { LoadedScenario } from "../../scenario/loaded-scenario.ts";
import { packMaterials, unpackMaterials } from "../../scenario/packed-materials.ts";
import type { SharedStore } from "../../store/shared-store.ts";

type Stored = Pick<LoadedScenario, "definition" | "digest" | "file"> & { readonly materials: string };

/** Every trial of a series offers the same files. */
const kept = new WeakMap<LoadedScenario, Promise<string>>();

/** Puts a scenario's files where every worker finds them; gives their digest. @throws Failure `storage_full`, `storage_failed` */
export async function keepMaterials(
  { materials }: Pick<SharedStore, "materials">,
  loaded: LoadedScenario,
): Promise<string> {
  const known = kept.get(loaded) ?? keep(materials, loaded);
  kept.set(loaded, known);
  known.catch(() => kept.delete(loaded));
  return await known;
}

async function keep(materials: SharedStore["materials"], loaded: LoadedScenario): Promise<string> {
  const { digest, bytes } = await packMaterials(loaded);
  if (!(await materials.has(digest))) await materials.keep(digest, bytes());
  return digest;
}

/** A scenario as it was offered, on this machine. @throws Failure `storage_failed` */
export async function openMaterials(
  { materials: shelf }: Pick<SharedStore, "materials">,
  { materials, ...stored }: Stored,
): Promise<LoadedScenario> {
  const directory = await unpackMaterials(materials, stored.definition, () => shelf.read(materials));
  const loaded = { ...stored, directory };
  kept.set(loaded, Promise.resolve(materials));
  return loaded;
}
