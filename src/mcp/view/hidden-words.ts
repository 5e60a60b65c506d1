import type { ArmSummary } from "../../domain/session.ts";
import type { Verdict } from "../../domain/verdict.ts";

/** A hidden check's reason quotes what it looks for, and its output the hidden files: its status says enough. */
export function withoutCheckWords(probe: ArmSummary["probe"]) {
  if (probe === null) return null;
  return { ...probe, checks: probe.checks.map(({ output: _, ...check }) => ({ ...check, reason: null })) };
}

/** A citation of a hidden check keeps the check's id and loses what the check printed. */
export const withoutCheckQuotes = (verdict: Verdict): Verdict => ({
  ...verdict,
  criteria: verdict.criteria.map((criterion) => ({
    ...criterion,
    evidence: criterion.evidence.map((cited) => (cited.kind === "probe" ? { ...cited, quote: "" } : cited)),
  })),
});
