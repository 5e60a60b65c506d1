import { type Static, Type } from "@sinclair/typebox";
import { Decision } from "./decision.ts";
import { record, Slug } from "./schema.ts";
import { SessionFailure, SessionId } from "./session.ts";
import { Verdict } from "./verdict.ts";

/** The four event kinds of a run (spec part 6, rule 1). */
const DecisionEvent = record("DecisionEvent", {
  event: Type.Literal("decision"),
  session_id: SessionId,
  arm_id: Slug(),
  decision: Decision,
  attempt: Type.Optional(
    Type.Integer({
      minimum: 2,
      description: "The run started again, as when its process was lost; earlier events of its arms are void.",
    }),
  ),
});

const ArmFinishedEvent = record("ArmFinishedEvent", {
  event: Type.Literal("arm_finished"),
  session_id: SessionId,
  arm_id: Slug(),
});

const VerdictReadyEvent = record("VerdictReadyEvent", {
  event: Type.Literal("verdict_ready"),
  session_id: SessionId,
  verdict: Verdict,
});

const SessionFailedEvent = record("SessionFailedEvent", {
  event: Type.Literal("session_failed"),
  session_id: SessionId,
  stage: SessionFailure.properties.stage,
  code: SessionFailure.properties.code,
  message: SessionFailure.properties.message,
  retryable: SessionFailure.properties.retryable,
});

export const RunEvent = Type.Union([DecisionEvent, ArmFinishedEvent, VerdictReadyEvent, SessionFailedEvent], {
  $id: "RunEvent",
});
export type RunEvent = Static<typeof RunEvent>;
