import { crashOf, isCrashed } from "../../domain/end-text.ts";
import type { CheckResult, Facts } from "../../domain/evidence.ts";
import type { Policies } from "../../domain/policies.ts";
import type { ArmSummary } from "../../domain/session.ts";
import { sizeOf } from "../../domain/size-of.ts";
import type { Side } from "../../domain/verdict.ts";
import { undecidedChecks } from "../../domain/verdict-text.ts";
import { reaches } from "./verdict/score-table.ts";

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
  const checks = probe.checks.map(({ id, status, could_not_run, score: number }) => ({
    ...{ id, status },
    ...(number !== undefined && { score: number }),
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

/** What gates look at. A stored verdict's `facts` hold it, so that a reader can compute the gates again. */
export type GateFacts = Pick<Facts, "disqualified" | "required_checks" | "crashed"> & {
  readonly probe: {
    readonly score: number;
    readonly checks?: readonly {
      readonly id: string;
      readonly status?: CheckResult["status"];
      readonly could_not_run?: string | undefined;
    }[];
  } | null;
};

/** What facts alone decide. No judge changes it. */
export interface Gates {
  readonly winner_side: Side | null;
  readonly decided_by: "gate" | "probe" | null;
  readonly reason: "disqualified" | "required_checks" | "graded_checks" | null;
  /** No winner may be named. The arm that would have won is only a lean. */
  readonly no_winner: "check_could_not_run" | "both_disqualified" | "both_crashed" | "neither_solved" | null;
  /** Graded probe score of arm a minus that of arm b; null when either has none. */
  readonly probe_gap: number | null;
}

/** Hidden checks decide alone when their graded scores are at least this far apart. */
const GATE_GAP = 0.5;

/** Hidden checks that are at least this far apart back the better arm as winner, and veto the other one. */
const VETO_GAP = 0.25;

/**
 * Disqualification first, then required hidden checks, then a large graded gap. Nothing decides where a check could run on
 * neither arm: the scenario or the machine lacks something, and what the other checks say may rest on it, too.
 */
export function gatesOf(a: GateFacts, b: GateFacts): Gates {
  const probe_gap = a.probe && b.probe ? a.probe.score - b.probe.score : null;
  if (undecidedChecks(a, b).length > 0) return { ...UNDECIDED, probe_gap, no_winner: "check_could_not_run" };
  const no_winner = a.required_checks === "failed" && b.required_checks === "failed" ? "neither_solved" : null;
  const gate = disqualification(a, b) ?? requiredGate(a, b) ?? { ...gradedChecks(probe_gap), no_winner };
  if (isCrashed(a) && isCrashed(b) && gate.no_winner !== "both_disqualified")
    return { ...gate, probe_gap, no_winner: "both_crashed" };
  return { ...gate, probe_gap };
}

const UNDECIDED = { winner_side: null, decided_by: null, reason: null } as const;

type Gate = Omit<Gates, "probe_gap">;

function disqualification(a: GateFacts, b: GateFacts): Gate | undefined {
  const gate = { decided_by: "gate", reason: "disqualified", no_winner: null } as const;
  if (a.disqualified && b.disqualified) return { ...gate, winner_side: null, no_winner: "both_disqualified" };
  if (a.disqualified) return { ...gate, winner_side: "b" };
  return b.disqualified ? { ...gate, winner_side: "a" } : undefined;
}

function requiredGate({ required_checks: a }: GateFacts, { required_checks: b }: GateFacts): Gate | undefined {
  if (a === null || b === null || a === b) return undefined;
  const winner_side = a === "passed" ? "a" : "b";
  return { winner_side, decided_by: "probe", reason: "required_checks", no_winner: null };
}

function gradedChecks(gap: number | null): Omit<Gate, "no_winner"> {
  if (gap === null || !reaches(Math.abs(gap), GATE_GAP)) return UNDECIDED;
  return { winner_side: gap > 0 ? "a" : "b", decided_by: "probe", reason: "graded_checks" };
}

/** Hidden checks speak clearly against this side, though not enough to decide alone. */
export const vetoes = (gates: Gates, side: Side): boolean => backs(gates, side === "a" ? "b" : "a");

/** Hidden checks speak clearly for this side. */
export const backs = ({ probe_gap }: Gates, side: Side): boolean =>
  probe_gap !== null && reaches(side === "a" ? probe_gap : -probe_gap, VETO_GAP);
