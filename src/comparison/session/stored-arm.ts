import type { Arm } from "../../domain/arm.ts";
import { didYouMeanAmong } from "../../domain/did-you-mean.ts";
import { everyVerdict } from "../../domain/every-verdict.ts";
import { cut } from "../../domain/excerpt.ts";
import { Failure } from "../../domain/failure.ts";
import type { ArmSummary, SessionOutcome } from "../../domain/session.ts";
import type { ArmPointer, Verdict } from "../../domain/verdict.ts";
import { readSession } from "../../store/read-session.ts";
import type { JudgedArm } from "../judge/judge.ts";
import type { SessionServices } from "../planning/services.ts";

/** A stored arm with the session it ran in. */
export interface StoredArm extends JudgedArm {
  readonly session: SessionOutcome;
}

/** @throws Failure `unknown_session` */
export async function storedSession(
  { store }: Pick<SessionServices, "store">,
  session_id: string,
): Promise<SessionOutcome> {
  const session = await readSession(store, session_id);
  if (session) return session;
  throw unknownSession(session_id);
}

export const unknownSession = (session_id: string) =>
  new Failure("unknown_session", `there is no session ${session_id.slice(0, 100)}`);

/** @throws Failure `unknown_arm`, `session_not_finished` for an arm that left nothing to compare */
export function storedArm(session: SessionOutcome, pointer: ArmPointer): StoredArm {
  const summary = session.arms.find((arm) => arm.arm_id === pointer.arm_id);
  if (!summary) {
    const known = session.arms.map(({ arm_id }) => arm_id);
    const told = didYouMeanAmong(pointer.arm_id, known, `its arms: ${known.join(", ")}`);
    throw new Failure("unknown_arm", `${pointer.session_id} has no arm "${cut(pointer.arm_id)}"${told}`);
  }
  const examined =
    summary.imported?.no_change === true ||
    (summary.changes !== null && (summary.probe !== null || session.definition.task.probe === null));
  if (!examined)
    throw new Failure(
      "session_not_finished",
      `arm ${pointer.arm_id} of ${pointer.session_id} has no evidence to judge (session state: ${session.state})`,
    );
  return { session, pointer, summary, decisions: session.decisions[pointer.arm_id] ?? [] };
}

/** The verdict of the run, of a rejudge, or of a comparison with an arm of another session. @throws Failure `invalid_request` */
export function storedVerdict(session: SessionOutcome, verdict_id: string): Verdict {
  const verdict = everyVerdict(session).find((each) => each.verdict_id === verdict_id);
  if (verdict) return verdict;
  throw new Failure("invalid_request", `${session.session_id} has no verdict "${verdict_id.slice(0, 100)}"`, {
    details: { field: "verdict_id" },
  });
}

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
