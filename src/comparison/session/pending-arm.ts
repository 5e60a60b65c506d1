import type { Arm } from "../../domain/arm.ts";
import type { ArmSummary } from "../../domain/session.ts";

/** An arm that has not started. */
export function pendingArm(arm: Arm): ArmSummary {
  return {
    arm_id: arm.id,
    title: arm.title,
    model: arm.model,
    model_served: null,
    status: "pending",
    stop_reason: null,
    error: null,
    turns: 0,
    tool_calls: 0,
    tokens_in: 0,
    tokens_out: 0,
    cached_tokens: 0,
    cost_usd: arm.price_per_mtok === null ? null : 0,
    wall_ms: 0,
    working_ms: 0,
    throttled_ms: 0,
    final_answer: null,
    changes: null,
    probe: null,
    violations: [],
    required: [],
    reference_fix: null,
    budget: [],
  };
}
