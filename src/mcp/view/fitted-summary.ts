import type { SessionOutcome } from "../../domain/session.ts";
import { CLIPS, clipTexts, fullestThatFits } from "../fit.ts";
import type { Answer } from "../tool.ts";
import { type SessionSummary, summariseSession } from "./session-summary.ts";

/** The answer with a session's summary whose texts are as long as a result holds. */
export function summaryThatFits<Version extends Answer>(
  outcome: SessionOutcome,
  make: (summary: SessionSummary) => Version,
): Version {
  const summary = summariseSession(outcome);
  return fullestThatFits(CLIPS, (chars) => make(clipTexts(summary, chars)));
}
