import { crashOf } from "../../domain/end-text.ts";
import type { Facts } from "../../domain/evidence.ts";
import type { Policies } from "../../domain/policies.ts";
import type { ArmSummary } from "../../domain/session.ts";
import { sizeOf } from "../../domain/size-of.ts";
import { runOnNeither } from "../../domain/verdict-text.ts";

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

/**
 * A hidden check ran on both arms that is known to fail before the work. One that is not may pass whatever an arm does, as
 * `true` would.
 */
export function isChecked(a: Pick<ArmSummary, "probe">, b: Pick<ArmSummary, "probe">): boolean {
  const known = ({ probe }: Pick<ArmSummary, "probe">) =>
    probe?.checks.some(({ before }) => before === "fail") ?? false;
  return known(a) && known(b);
}

/** Checks that did not run to their end, with what stopped them. Those that could run on neither arm are told apart. */
export function stoppedChecks({ probe }: ArmSummary, other: Pick<Facts, "probe">): readonly string[] {
  const neither = new Set(runOnNeither({ probe }, other).map(({ id }) => id));
  return (probe?.checks ?? []).flatMap(({ id, status, reason, could_not_run }) => {
    if (neither.has(id)) return [];
    if (could_not_run !== undefined) return `${id} could not run: ${could_not_run}`;
    return status === "error" ? `${id}: ${reason ?? "it did not end"}` : [];
  });
}

/** Severity applies to what was done. A refused call disqualifies nobody. */
function isDisqualified(arm: ArmSummary, policies: Policies): boolean {
  const broke = arm.violations.some(({ severity, blocked }) => severity === "disqualify" && !blocked);
  const missed = policies.severity.required === "disqualify" && arm.required.some(({ met }) => !met);
  return arm.status === "disqualified" || broke || missed;
}
