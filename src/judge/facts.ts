import { isUnknown } from "../domain/evidence.ts";
import type { Policies } from "../domain/scenario.ts";
import type { ArmSummary } from "../domain/session.ts";
import type { Facts } from "../domain/verdict.ts";

/** What code established about an arm, apart from every opinion. */
export function factsOf(arm: ArmSummary, policies: Policies): Facts {
  return {
    status: arm.status,
    stop_reason: arm.stop_reason,
    required_checks: requiredChecks(arm),
    probe: arm.probe && {
      score: arm.probe.score,
      passed: arm.probe.passed,
      total: arm.probe.total,
      checks: arm.probe.checks.map(({ id, status }) => ({ id, status })),
    },
    disqualified: isDisqualified(arm, policies),
    violations: arm.violations,
    required: arm.required,
    ...sizeOf(arm.changes),
    reference_fix: arm.reference_fix,
  };
}

function sizeOf(changes: ArmSummary["changes"]): Pick<Facts, "changed_files" | "added" | "removed"> {
  if (changes === null || isUnknown(changes)) return { changed_files: null, added: null, removed: null };
  const { files } = changes;
  return {
    changed_files: files.length,
    added: files.reduce((sum, { added }) => sum + added, 0),
    removed: files.reduce((sum, { removed }) => sum + removed, 0),
  };
}

function requiredChecks({ probe }: ArmSummary): Facts["required_checks"] {
  const required = probe?.checks.filter((check) => check.required) ?? [];
  if (required.length === 0) return null;
  return required.every(({ status }) => status === "pass") ? "passed" : "failed";
}

/** Severity applies to what was done: a call that was refused never disqualifies. */
function isDisqualified(arm: ArmSummary, policies: Policies): boolean {
  const broke = arm.violations.some(({ severity, blocked }) => severity === "disqualify" && !blocked);
  const missed = policies.severity.required === "disqualify" && arm.required.some(({ met }) => !met);
  return arm.status === "disqualified" || broke || missed;
}
