import type { ArmSummary } from "../../../domain/session.ts";
import type { Verdict } from "../../../domain/verdict.ts";
import { pick } from "./pick.ts";

type Check = NonNullable<ArmSummary["probe"]>["checks"][number];

const PROBE = ["score", "passed", "total", "restored"] as const;
const CHECK = ["id", "status", "again", "required", "weight", "before", "exit_code", "duration_ms"] as const;

/** A hidden check's reason quotes what it looks for, and its output the hidden files: its status says enough. */
export const withoutCheckWords = (probe: ArmSummary["probe"]) =>
  probe && {
    ...pick(probe, PROBE),
    checks: probe.checks.map(withoutWords),
    ...(probe.not_repeatable && { not_repeatable: probe.not_repeatable.map(withoutWords) }),
  };

const withoutWords = (check: Check) => ({ ...pick(check, CHECK), reason: null });

/** A citation of a hidden check keeps the check's id and loses what the check printed. */
export const withoutCheckQuotes = (verdict: Verdict): Verdict => ({
  ...verdict,
  criteria: verdict.criteria.map((criterion) => ({
    ...criterion,
    evidence: criterion.evidence.map((cited) =>
      cited.kind === "probe" ? { ...pick(cited, ["side", "kind", "ref"]), quote: "" } : cited,
    ),
  })),
});
