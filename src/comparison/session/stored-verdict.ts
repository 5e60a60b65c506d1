import { everyVerdict } from "../../domain/every-verdict.ts";
import { Failure } from "../../domain/failure.ts";
import type { SessionOutcome } from "../../domain/session.ts";
import type { Verdict } from "../../domain/verdict.ts";

/** The verdict of the run, of a rejudge, or of a comparison with an arm of another session. @throws Failure `invalid_request` */
export function storedVerdict(session: SessionOutcome, verdict_id: string): Verdict {
  const verdict = everyVerdict(session).find((each) => each.verdict_id === verdict_id);
  if (verdict) return verdict;
  throw new Failure("invalid_request", `${session.session_id} has no verdict "${verdict_id.slice(0, 100)}"`, {
    details: { field: "verdict_id" },
  });
}
