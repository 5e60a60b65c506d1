import { isRanArm, type RanArm } from "../../../comparison/planning/arm-source.ts";
import { hasCallRules } from "../../../domain/policies.ts";
import type { Scenario } from "../../../domain/scenario.ts";
import { afterSetup, type Check, check, fail, IDLE, pass, warn } from "../check.ts";
import type { DeclaredScenario } from "../services.ts";
import type { DryRun } from "./dry-run.ts";

/** What nobody handed in cannot be held against a rule. */
const importedRules = check(
  "imports.rules",
  "Data of imported runs",
  ({ loaded: { definition } }: DeclaredScenario) => {
    const ran = definition.arms.filter(isRanArm);
    if (ran.length === 0) return pass(IDLE.no_import);
    const gaps = ran.flatMap((arm) => gapsOf(arm, definition).map((gap) => `${arm.id}: ${gap}`));
    return warn([...gaps, "policies.budget was not enforced, and their times are not used"].join("; "), GAP_HINT);
  },
);

const GAP_HINT = "add what is missing, if you have it: `log`, `change`, `answer`, `usage`";

function gapsOf({ ran }: RanArm, { policies, task }: Scenario): readonly string[] {
  const isWork = task.deliverable.length > 0;
  const changeless = ran.patch === undefined && ran.files === undefined && (isWork || task.answer !== true);
  return [
    ...(changeless ? ["without `change`, no hidden check runs and no rule about paths is checked"] : []),
    ...(ran.log === undefined && hasCallRules(policies)
      ? ["without `log`, no rule about commands and no required behaviour is checked"]
      : []),
    ...(ran.log === undefined && ran.usage === undefined ? ["tokens and costs are not known"] : []),
  ];
}

/** A change that cannot be made ends a run, so it is tried before. */
const importedChanges = afterSetup(
  "imports.change",
  "Changes of imported runs apply",
  async (dryRun: DryRun, signal) => {
    const ran = dryRun.loaded.definition.arms.filter(isRanArm);
    if (ran.length === 0) return pass(IDLE.no_import);
    const told: string[] = [];
    for (const arm of ran) {
      const { fault, summary } = await dryRun.imported(arm, signal);
      if (fault !== null) return fail(fault, "make the change from the fixture as it is after `setup`");
      told.push(`${arm.id}: ${summary}`);
    }
    return pass(told.join("; "));
  },
);

export const importedChecks: readonly Check<DeclaredScenario>[] = [importedRules];
export const importedTrials: readonly Check<DryRun>[] = [importedChanges];
