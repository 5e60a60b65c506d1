import { crashOf } from "../../domain/end-text.ts";
import type { Facts } from "../../domain/evidence.ts";
import type { Policies } from "../../domain/policies.ts";
import type { ArmSummary } from "../../domain/session.ts";
import { sizeOf } from "../../domain/size-of.ts";

/** What code established about an arm; no opinion is part of it. */
export function factsOf(arm: ArmSummary, policies: Policies): Facts {
  const required = requiredChecks(arm);
  const crashed = crashOf(arm);
  return {
    status: arm.status,
    stop_reason: arm.stop_reason,
    ...(crashed !== null && { crashed }),
    required_checks: !required?.total ? null : required.failed === 0 ? "passed" : "failed",
    probe: probeFacts(arm),
    disqualified: isDisqualified(arm, policies),
    violations: arm.violations,
    required: arm.required,
    ...sizeOf(arm.changes),
    reference_fix: arm.reference_fix,
  };
}

/** Where every check was left out, none ran. */
function probeFacts({ probe }: ArmSummary): Facts["probe"] {
  if (probe === null || probe.checks.length === 0) return null;
  const { score, passed, total } = probe;
  const checks = probe.checks.map(({ id, status, could_not_run }) => ({
    ...{ id, status },
    ...(could_not_run !== undefined && { could_not_run }),
  }));
  return { score, passed, total, checks };
}

/** Required hidden checks that failed, of all required; null without a probe. */
export function requiredChecks({ probe }: ArmSummary): { readonly failed: number; readonly total: number } | null {
  if (probe === null) return null;
  const required = probe.checks.filter((check) => check.required);
  return { failed: required.filter(({ status }) => status !== "pass").length, total: required.length };
}

/** Severity applies to what was done. A refused call disqualifies nobody. */
function isDisqualified(arm: ArmSummary, policies: Policies): boolean {
  const broke = arm.violations.some(({ severity, blocked }) => severity === "disqualify" && !blocked);
  const missed = policies.severity.required === "disqualify" && arm.required.some(({ met }) => !met);
  return arm.status === "disqualified" || broke || missed;
}
