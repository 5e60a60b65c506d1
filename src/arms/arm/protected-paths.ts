import { NAMED_VIOLATIONS } from "../../domain/defaults.ts";
import type { Violation } from "../../domain/evidence.ts";
import { refusedPath } from "../policy/refusal.ts";
import type { DecisionLog } from "./decision-log.ts";
import type { ArmRun } from "./run-arm.ts";

/** Changed protected paths that end the arm now; each is logged. None where they do not disqualify. */
export async function disqualifyingPaths(
  { policies, workspace }: Pick<ArmRun, "policies" | "workspace">,
  log: DecisionLog,
): Promise<readonly Violation[]> {
  if (policies.severity.protected_path !== "disqualify" || policies.paths.protected.length === 0) return [];
  const paths = await workspace.altered(policies.paths.protected);
  return paths.slice(0, NAMED_VIOLATIONS).map((subject) => {
    const rule = refusedPath(policies.paths, subject) ?? subject;
    const severity = "disqualify";
    log.violation({ rule, severity, subject }, `protected path changed: ${subject}`);
    return { rule, severity, subject, blocked: false };
  });
}
