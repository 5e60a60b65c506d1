import type { DecisionDetail } from "../../domain/decision.ts";
import type { BudgetUse, Violation } from "../../domain/evidence.ts";
import { excerpt } from "../../domain/excerpt.ts";
import type { AgentRun } from "../../domain/external-agent.ts";
import { Failure, isCostLimit, isKilledFromOutside, type Mistake } from "../../domain/failure.ts";
import type { ImportedFrom } from "../../domain/ran.ts";
import type { ArmStatus, OtherModel } from "../../domain/session.ts";
import type { Skill } from "../../domain/skill.ts";
import type { ArmUsage } from "../../domain/usage.ts";
import type { ModelReply } from "../model/client.ts";
import type { CallRecord } from "../policy/review.ts";
import { type BudgetState, rounded, usedText } from "./budget.ts";
import { type DecisionLog, oneLine } from "./decision-log.ts";

/** How an arm ended and what it used. Its work is in the workspace. */
export interface ArmEnd extends ArmUsage {
  readonly status: Extract<ArmStatus, "finished" | "limit_reached" | "disqualified" | "failed" | "cancelled">;
  /** What ended it from outside: the fault (`failed`) or the caller's reason (`cancelled`). */
  readonly cause?: unknown;
  readonly stop_reason: string;
  readonly final_answer: string | null;
  /** To the prompt and to each follow-up; absent without follow-ups. */
  readonly answers?: string[];
  readonly model_served: string | null;
  /** SHA-256 over what the model said and called, in order. Two arms that have the same have acted alike. */
  readonly replies_digest: string;
  /** Absent when the arm's own model alone replied. */
  readonly other_models?: readonly OtherModel[];
  readonly budget: readonly BudgetUse[];
  /** Monotonic milliseconds. */
  readonly began_ticks: number;
  /** Every call that reached the policy, also the refused ones. */
  readonly calls: readonly CallRecord[];
  /** Broken rules that ended the arm early; empty otherwise. */
  readonly violations: readonly Violation[];
  /** The skills in an external agent's home when it began. */
  readonly home_skills?: readonly Skill[];
  /** How an external agent's process ended; absent for the built-in arm. */
  readonly agent?: AgentRun;
  /** Set for a run that was made elsewhere. */
  readonly imported?: ImportedFrom;
}

/** Why an arm stopped. Whoever makes one has logged the decision that belongs to it. */
export type Stop = Pick<ArmEnd, "status" | "stop_reason" | "final_answer" | "cause"> &
  Partial<Pick<ArmEnd, "violations">>;

export function finished(
  log: DecisionLog,
  { text, stop, stop_reason }: Pick<ModelReply, "text" | "stop" | "stop_reason">,
): Stop {
  if (stop === "refusal") log.error("refusal", `The model declined to go on (${stop_reason}).`);
  log.add("final_answer", { summary: oneLine(text) || "(empty answer)", detail: { text: excerpt(text) } });
  return { status: "finished", stop_reason: stop === "refusal" ? "refusal" : "final_answer", final_answer: text };
}

/** An answer of a program of somebody else's, with the reason that it, or its provider, gave. */
export function answered(log: DecisionLog, { text, stop_reason }: Pick<ModelReply, "text" | "stop_reason">): Stop {
  if (!CUT_OFF.has(stop_reason))
    return finished(log, { text, stop: stop_reason === "refusal" ? "refusal" : "end", stop_reason });
  log.error(
    "cut_off",
    `the model's last reply was cut off at its limit of tokens (${stop_reason}): it is no whole answer`,
  );
  return { status: "finished", stop_reason: "cut_off", final_answer: text === "" ? null : text };
}

/** What the four wires call a reply that reached its limit of tokens. */
const CUT_OFF: ReadonlySet<string> = new Set(["max_tokens", "length", "max_output_tokens", "MAX_TOKENS"]);

export function atBudget(log: DecisionLog, state: BudgetState): Stop {
  const { budget, used, limit } = state;
  const summary = `${budget}: ${usedText(state)}`;
  return atLimit(log, summary, { budget, used: rounded(budget, used), limit });
}

export const atContextLimit = (log: DecisionLog, { tokens_in }: Pick<ModelReply, "tokens_in">): Stop =>
  atLimit(log, "the conversation no longer fits the model", { budget: "context", used: tokens_in, limit: null });

/** What the arm left is too large to be checked against the policies. That is its own doing, like a spent budget. */
export const atDiskLimit = (log: DecisionLog, { message }: Mistake): Stop =>
  atLimit(log, message, { budget: "disk", used: null, limit: null });

function atLimit(log: DecisionLog, summary: string, detail: DecisionDetail<"limit_reached">): Stop {
  log.add("limit_reached", { summary, detail });
  return { status: "limit_reached", stop_reason: `budget:${detail.budget}`, final_answer: null };
}

export function disqualified(violations: readonly Violation[]): Stop {
  const [first] = violations;
  const stop_reason = first ? `policy:${first.rule}` : "policy";
  return { status: "disqualified", stop_reason, final_answer: null, violations };
}

export const cancelled = (cause: unknown): Stop => ({
  ...{ status: "cancelled", stop_reason: "cancelled", final_answer: null, cause },
});

export function failed(log: DecisionLog, cause: unknown): Stop {
  if (cause instanceof Failure) recordFault(log, cause);
  if (isKilledFromOutside(cause) || isCostLimit(cause)) return { ...cancelled(cause), stop_reason: cause.code };
  return { status: "failed", stop_reason: "failed", final_answer: null, cause };
}

function recordFault(log: DecisionLog, { code, message }: Failure): void {
  try {
    log.error(code, message, "infra");
  } catch {
    // The fault may be that nothing can be recorded any more.
  }
}
