import { costParts } from "../../domain/at-least.ts";
import { passedOf } from "../../domain/check-result.ts";
import { usdText } from "../../domain/number-text.ts";
import type { ArmSummary, SessionOutcome } from "../../domain/session.ts";
import { sumKnown } from "../../domain/usage.ts";
import type { ArmPointer, Verdict } from "../../domain/verdict.ts";
import { armNames } from "../../domain/verdict-text.ts";
import { verdictHeadline } from "../../domain/verdict-words.ts";
import type { ArmNames, Words } from "../../domain/words.ts";

/** What a page for others shows: two arms, and the verdict that compares them. */
export interface Reported {
  /** Null: there is none. */
  readonly verdict: Verdict | null;
  readonly a: ReportedArm;
  readonly b: ReportedArm;
}

export interface ReportedArm {
  /** The session in which the arm ran. */
  readonly session: SessionOutcome;
  readonly arm: ArmSummary;
}

/** A session with the verdict of its own, if it has one. */
export function reportedSession(session: SessionOutcome): Reported {
  const { verdict, arms } = session;
  const judged = verdict && reportedVerdict(verdict, [session]);
  return judged ?? { verdict, a: { session, arm: arms[0] }, b: { session, arm: arms[1] } };
}

/** A verdict with its arms. Undefined when one is in none of the sessions. */
export function reportedVerdict(verdict: Verdict, sessions: readonly SessionOutcome[]): Reported | undefined {
  const a = armOf(verdict.arm_a, sessions);
  const b = armOf(verdict.arm_b, sessions);
  return a && b && { verdict, a, b };
}

function armOf({ session_id, arm_id }: ArmPointer, sessions: readonly SessionOutcome[]): ReportedArm | undefined {
  const session = sessions.find((each) => each.session_id === session_id);
  const arm = session?.arms.find((each) => each.arm_id === arm_id);
  return session && arm && { session, arm };
}

/** Names the arms apart as the verdict's statement does. */
export const distinctNames = ({ a, b }: Reported): ArmNames => armNames(a.arm.arm_id, b.arm.arm_id);

/** `baseline won`, or in a few words why nobody did. */
export const reportedHeadline = (reported: Reported): Words =>
  reported.verdict === null ? ["No verdict"] : verdictHeadline(reported.verdict, distinctNames(reported));

/** Whether the verdict is the session's own, or there is none. Others came later. */
export const isOwn = ({ verdict, a }: Reported): boolean =>
  verdict === null || a.session.verdict?.verdict_id === verdict.verdict_id;

/** What the run cost; of a later verdict, what its arms and this judging did. */
export function costTexts(reported: Reported): readonly string[] {
  const { verdict, a, b } = reported;
  if (verdict === null || isOwn(reported)) return costParts(a.session);
  return [
    `arms ${usdText(sumKnown([a.arm.cost_usd, b.arm.cost_usd]))}`,
    `this judging ${usdText(verdict.usage.cost_usd)}`,
  ];
}

/** The one session, or those of arm a and arm b. */
export const sessionsOf = ({ a, b }: Reported): readonly SessionOutcome[] =>
  a.session.session_id === b.session.session_id ? [a.session] : [a.session, b.session];

/** How many of its hidden checks an arm passed; without a look at its changes it was stopped before any could run. */
export const checksText = ({ probe, changes }: Pick<ArmSummary, "probe" | "changes">): string =>
  probe ? passedOf(probe) : changes === null ? "not run" : "none";

type Ended = Pick<SessionOutcome, "state" | "failure">;

/**
 * How a session without a verdict ended: `failed while judging (provider_failed); the same run may succeed when it is started
 * again`. Nothing in it was written by anybody.
 */
export function howItEnded({ state, failure }: Ended): string {
  if (failure === null) return state;
  const { stage, code, retryable } = failure;
  const again = retryable ? "; the same run may succeed when it is started again" : "";
  return `${state} while ${stage} (${code})${again}`;
}

/** Says what stopped the run, in the words of its failure. */
export const whyNoVerdict = ({ failure }: Ended): string => failure?.message ?? "the session did not finish";
