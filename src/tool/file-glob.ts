import { Mistake } from "../domain/failure.ts";
import { globFault, globMatcher } from "../domain/path-glob.ts";

/** What a model's glob asks for. @throws Mistake when it cannot be used. */
export function fileGlob(glob: string): (path: string) => boolean {
  const fault = globFault(glob);
  if (fault !== null) throw new Mistake(`The glob ${fault}.`);
  return globMatcher([glob]);
}
