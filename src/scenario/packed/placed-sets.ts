import { canonicalJson } from "../../domain/canonical-json.ts";
import { Failure } from "../../domain/failure.ts";
import type { Scenario } from "../../domain/scenario.ts";
import { sha256 } from "../../domain/sha256.ts";
import type { FileSet } from "../../domain/task.ts";
import { workspacePathFault } from "../confined-path.ts";

/** Files of a scenario that do not stand in its definition. */
export interface PlacedSet {
  /** Relative, in the archive as where it is unpacked: `files/<dir>` or `trees/<id>`. */
  readonly place: string;
  readonly set: FileSet;
}

/** Below them lie directories as the definition names them, and git trees by their ids. */
export const FILES = "files";
export const TREES = "trees";

/** @throws Failure `workspace_failed` for a directory that no definition of ours names */
export function placedSets({ task, arms }: Scenario): readonly PlacedSet[] {
  const sets = [task.fixture, task.probe?.files, ...arms.map(({ agent }) => agent?.files)];
  return sets.flatMap((set) => {
    const place = set && placeOf(set);
    if (!place) return [];
    const fault = workspacePathFault(place);
    if (fault !== null) throw new Failure("workspace_failed", `the scenario names ${place}: a path ${fault}`);
    return [{ place, set }];
  });
}

function placeOf({ dir, git }: FileSet): string | null {
  if (git !== undefined) return `${TREES}/${git.tree}`;
  return dir === null ? null : `${FILES}/${dir}`;
}

/** Names what `packMaterials` gives; known without reading a file. @throws as `placedSets` */
export function materialsDigest(definition: Scenario): string {
  const sets = placedSets(definition).map(({ place, set }) => `${place} ${set.digest}`);
  return sha256(canonicalJson(["materials/1", [...new Set(sets)].sort()]));
}
