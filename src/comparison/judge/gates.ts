import { isCrashed } from "../../domain/end-text.ts";
import type { Facts } from "../../domain/evidence.ts";
import type { Side } from "../../domain/verdict.ts";
import { undecidedChecks } from "../../domain/verdict-text.ts";
import { reaches } from "./verdict/score-table.ts";

/** What gates look at. A stored verdict's `facts` hold it, so that a reader can compute the gates again. */
export type GateFacts = Pick<Facts, "disqualified" | "required_checks" | "crashed"> & {
  readonly probe: {
    readonly score: number;
    readonly checks?: readonly {
      readonly id: string;
      readonly status?: "pass" | "fail" | "error";
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
  const gate = disqualification(a, b) ?? requiredChecks(a, b) ?? { ...gradedChecks(probe_gap), no_winner };
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

function requiredChecks({ required_checks: a }: GateFacts, { required_checks: b }: GateFacts): Gate | undefined {
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
