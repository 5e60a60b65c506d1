import type { RunEvent } from "../../../../domain/event.ts";
import { EXAMPLE_DECISION, EXAMPLE_SESSION_ID } from "./session.ts";

export const EXAMPLE_EVENTS: readonly RunEvent[] = [
  { event: "decision", session_id: EXAMPLE_SESSION_ID, arm_id: "plain", decision: EXAMPLE_DECISION },
  { event: "arm_finished", session_id: EXAMPLE_SESSION_ID, arm_id: "plain" },
  {
    event: "session_failed",
    session_id: EXAMPLE_SESSION_ID,
    stage: "running",
    code: "provider_failed",
    message: "anthropic answered 529 six times: overloaded",
    retryable: true,
  },
];
