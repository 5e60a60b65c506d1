import { globMatcher } from "../../../domain/path-glob.ts";
import { type Check, pass, warn } from "../check.ts";
import { patchPaths } from "./patch.ts";
import type { Trial } from "./trial.ts";

/** A pattern that fits nothing guards nothing, most likely for a slip of the pen. A plain name may be a file to come. */
export const globs: Check<Trial> = {
  id: "fixture.globs",
  title: "Path globs match something",
  needs: ["fixture.setup"],
  async run({ pristine, loaded }) {
    const { task, policies } = loaded.definition;
    const { writable, protected: guarded } = policies.paths;
    const paths = [...(await pristine.list()).map(({ path }) => path), ...patchPaths(task.reference_fix)];
    const idle = Object.entries({ writable, protected: guarded, deliverable: task.deliverable }).flatMap(
      ([list, patterns]) => patterns.filter((glob) => isIdle(glob, paths)).map((glob) => `${list} ${glob}`),
    );
    return idle.length === 0
      ? pass("each does")
      : warn(`no file fits ${idle.join(", ")}`, "correct it: globs start at the top of the workspace");
  },
};

const isIdle = (glob: string, paths: readonly string[]) =>
  glob !== "**" && /[*?[{(]/.test(glob) && !paths.some(globMatcher([glob]));
