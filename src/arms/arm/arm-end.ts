import type { BudgetUse, Violation } from "../../domain/evidence.ts";
import type { AgentRun } from "../../domain/external-agent.ts";
import type { ImportedFrom } from "../../domain/ran.ts";
import type { ArmStatus, AtLeast, OtherModel } from "../../domain/session.ts";
import type { Skill } from "../../domain/skill.ts";
import type { CallRecord } from "../policy/review.ts";

/** How an arm ended and what it used. Its work is in the workspace. */
export interface ArmEnd {
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
  readonly turns: number;
  readonly tool_calls: number;
  readonly tokens_in: number | null;
  readonly tokens_out: number | null;
  readonly cached_tokens: number | null;
  readonly cache_write_tokens?: number | null;
  readonly cache_write_1h_tokens?: number;
  readonly cost_usd: number | null;
  /** Absent when all of it is known. */
  readonly at_least?: AtLeast;
  /** Absent when the arm's own model alone replied. */
  readonly other_models?: readonly OtherModel[];
  readonly wall_ms: number;
  readonly working_ms: number;
  readonly throttled_ms: number;
  readonly stalled_ms?: number;
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
