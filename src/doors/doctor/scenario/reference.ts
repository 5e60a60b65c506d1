import { matchesPath, refusedPath } from "../../../arms/policy/path-rules.ts";
import { cannotRun } from "../../../comparison/evidence/cannot-run.ts";
import { Mistake } from "../../../domain/failure.ts";
import { patchedPaths } from "../../../domain/patch.ts";
import { type Check, fail, pass, skip, warn } from "../check.ts";
import { IDLE } from "../idle.ts";
import type { DeclaredScenario } from "../services.ts";
import type { DryRun, ProbedTwice } from "./dry-run.ts";
import { failedChecks } from "./probe.ts";

/** A fix that policies forbid cannot be the measure of arms. */
export const referencePaths: Check<DeclaredScenario> = {
  id: "reference.paths",
  title: "Reference touches only what arms may",
  run({ loaded }) {
    const { task, policies } = loaded.definition;
    if (task.reference_fix === null) return skip(IDLE.no_reference);
    const paths = patchedPaths(task.reference_fix.patch);
    const refused = paths.flatMap((path) => {
      const rule = refusedPath(policies.paths, path);
      return rule === null ? [] : [`${path} (${rule})`];
    });
    return refused.length === 0
      ? pass(paths.join(", "))
      : fail(`it changes ${refused.join(", ")}, which no arm may`, "change the fix, or policies.paths");
  },
};

export const referenceDeliverable: Check<DeclaredScenario> = {
  id: "reference.deliverable",
  title: "Reference counts as an answer",
  run({ loaded }) {
    const { reference_fix, deliverable } = loaded.definition.task;
    if (reference_fix === null) return skip(IDLE.no_reference);
    const paths = patchedPaths(reference_fix.patch);
    const uncounted = paths.filter((path) => !deliverable.some((glob) => matchesPath(glob, path)));
    return uncounted.length === 0
      ? pass(`within ${deliverable.join(", ")}`)
      : warn(`${uncounted.join(", ")} lies outside task.deliverable and would not count`, "widen task.deliverable");
  },
};

export const referenceApplies: Check<DryRun> = {
  id: "reference.applies",
  title: "Reference applies to the fixture",
  needs: ["fixture.setup"],
  async run(dryRun) {
    const { reference_fix } = dryRun.loaded.definition.task;
    if (reference_fix === null) return skip(IDLE.no_reference);
    try {
      await dryRun.patched(reference_fix.patch);
      return pass("every hunk fits");
    } catch (error) {
      if (error instanceof Mistake) return fail(error.message, "make the patch anew against the fixture");
      throw error;
    }
  },
};

export const referencePasses: Check<DryRun> = {
  id: "reference.passes",
  title: "Every check passes with the reference",
  needs: ["reference.applies"],
  async run(dryRun, signal) {
    const { reference_fix, reference_answer, probe } = dryRun.loaded.definition.task;
    if (reference_fix === null && reference_answer === undefined) return skip(IDLE.no_reference);
    if (probe === null) return skip(IDLE.no_probe);
    const probed = await dryRun.solved(signal);
    if (probed === null) return skip(IDLE.not_examinable);
    const failed = failedChecks(probed);
    return failed.length === 0
      ? pass(`${probed[0].total} of ${probe.checks.length}, two times`)
      : fail(failed.join("\n"), hintFor(probed));
  },
};

function hintFor([{ checks }]: ProbedTwice): string {
  const reasons = new Set(checks.flatMap((check) => cannotRun(check) ?? []));
  return reasons.size > 0
    ? [...reasons].join("\n")
    : "a check that the known fix fails measures something else: mend one of them";
}
