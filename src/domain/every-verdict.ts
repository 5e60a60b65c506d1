import type { SessionOutcome } from "./session.ts";
import type { Verdict } from "./verdict.ts";

/** Each once, the session's own first, then oldest first. A rejudge may have become the session's own. */
export function everyVerdict({ verdict, verdicts }: Pick<SessionOutcome, "verdict" | "verdicts">): readonly Verdict[] {
  const all = verdict ? [verdict, ...verdicts] : verdicts;
  return [...new Map(all.map((each) => [each.verdict_id, each])).values()];
}
