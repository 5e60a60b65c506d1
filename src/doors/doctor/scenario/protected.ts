import { patchedPaths } from "../../../domain/patch.ts";
import { globMatcher } from "../../../domain/path-glob.ts";
import { type Check, pass, skip, warn } from "../check.ts";
import { IDLE } from "../idle.ts";
import type { DryRun } from "./dry-run.ts";

/** Arms run commands like those of the checks. A command that changes a protected file disqualifies the arm. */
export const protectedFiles: Check<DryRun> = {
  id: "probe.protected",
  title: "Checks leave protected files alone",
  needs: ["fixture.setup"],
  async run(dryRun, signal) {
    const { task, policies } = dryRun.loaded.definition;
    if (task.probe === null) return skip(IDLE.no_probe);
    if (policies.paths.protected.length === 0) return pass(IDLE.no_protected);
    const changed = await dryRun.changedByChecks(policies.paths.protected, signal);
    if (changed.length === 0) return pass("none is changed");
    const named = changed.slice(0, NAMED).join(", ");
    return warn(
      `running the checks changes ${named}${changed.length > NAMED ? ` and ${changed.length - NAMED} more` : ""}`,
      "narrow policies.paths.protected, or name what the tools leave in the fixture's .gitignore",
    );
  },
};

const NAMED = 5;

/** A pattern that fits no file is most likely a typo. A plain name may be that of a file to be written. */
export const globs: Check<DryRun> = {
  id: "fixture.globs",
  title: "Path globs match something",
  needs: ["fixture.setup"],
  async run({ pristine, loaded }) {
    const { task, policies } = loaded.definition;
    const { writable, protected: guarded } = policies.paths;
    const fixed = task.reference_fix === null ? [] : patchedPaths(task.reference_fix.patch);
    const paths = [...(await pristine.list()).map(({ path }) => path), ...fixed];
    const idle = Object.entries({ writable, protected: guarded, deliverable: task.deliverable }).flatMap(
      ([list, patterns]) => patterns.filter((glob) => isIdle(glob, paths)).map((glob) => `${list} ${glob}`),
    );
    return idle.length === 0
      ? pass("each does")
      : warn(`no file fits ${idle.join(", ")}`, "correct it: globs start at the top of the workspace");
  },
};

const isIdle = (glob: string, paths: readonly string[]) =>
  glob !== "**" && /[*?[{]/.test(glob) && !paths.some(globMatcher([glob]));
