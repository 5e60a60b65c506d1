import { realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { repositoryAround } from "../../../scenario/git/repository.ts";
import type { LoadedScenario } from "../../../scenario/loaded-scenario.ts";
import { probeSource } from "../../../scenario/materials.ts";

/** Paths of the workspace at which the scenario's own files would stand, if its fixture has them. */
export interface OwnPlaces {
  readonly scenario: readonly string[];
  /** @param path below the probe's directory */
  readonly probe: (path: string) => readonly string[];
}

/**
 * A fixture may be a directory around the scenario, or a commit that has it: then its files can be read in the workspace,
 * whatever they hold. Of a commit the part that became the fixture is not known, so each directory around a file counts.
 */
export async function ownPlaces(loaded: LoadedScenario): Promise<OwnPlaces> {
  const tops = await topsOf(loaded);
  const file = join(await realpath(loaded.directory), basename(loaded.file));
  const { dir } = probeSource(loaded);
  const probe = dir === null ? null : await realpath(dir);
  return {
    scenario: below(tops(dirname(file)), file),
    probe: (path) => (probe === null ? [] : below(tops(dirname(probe)), join(probe, path))),
  };
}

/** Absolute directories that may have become the top of the workspace, for a file in `directory`. */
async function topsOf({ definition, directory }: LoadedScenario): Promise<(directory: string) => readonly string[]> {
  const { fixture } = definition.task;
  if (fixture?.git !== undefined) {
    const { root } = repositoryAround(directory);
    return (inner) => upTo(root, inner);
  }
  const top = fixture?.dir == null ? null : await realpath(resolve(directory, fixture.dir));
  return () => (top === null ? [] : [top]);
}

/** From the inner directory to the outer one, both included. */
function upTo(outer: string, inner: string): string[] {
  const found = [inner];
  for (let at = inner; at !== outer && at !== dirname(at); at = dirname(at)) found.push(dirname(at));
  return found;
}

const below = (tops: readonly string[], file: string) =>
  tops.filter((top) => file.startsWith(top + sep)).map((top) => relative(top, file).replaceAll(sep, "/"));
