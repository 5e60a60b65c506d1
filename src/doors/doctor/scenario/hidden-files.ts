import type { LoadedScenario } from "../../../comparison/scenario/loaded-scenario.ts";
import { listMaterial, type MaterialSource, probeSource } from "../../../comparison/scenario/materials.ts";
import { readText } from "../../../comparison/scenario/read-text.ts";
import { Unusable } from "../../../comparison/scenario/unusable.ts";

export interface HiddenFile {
  readonly path: string;
  readonly text: string;
}

/** Bytes of a hidden file whose text is compared; a test is smaller. */
const HIDDEN_BYTES = 1_000_000;

/** The files that a probe lays over the work. */
export const hiddenFiles = (loaded: LoadedScenario): Promise<readonly HiddenFile[]> => textsOf(probeSource(loaded));

/** Files with their texts. A large one, and one that is no text, has the empty text. */
export async function textsOf({ dir, files }: MaterialSource): Promise<readonly HiddenFile[]> {
  const below = dir === null ? [] : await listMaterial(dir);
  const found: HiddenFile[] = [];
  for (const { path, absolute, stats } of below)
    if (stats.isFile() && !Object.hasOwn(files, path))
      found.push({ path, text: stats.size > HIDDEN_BYTES ? "" : ((await textOf(absolute)) ?? "") });
  return [...found, ...Object.entries(files).map(([path, text]) => ({ path, text }))];
}

async function textOf(path: string): Promise<string | null> {
  try {
    return await readText(path, HIDDEN_BYTES);
  } catch (error) {
    if (error instanceof Unusable) return null;
    throw error;
  }
}
