import { excerpt } from "../../domain/excerpt.ts";
import { Failure, type FailureCode } from "../../domain/failure.ts";
import { plainText } from "../../domain/plain-text.ts";
import type { Services } from "../operation/services.ts";

/** Characters of an error message. Enough for every mistake of a scenario file. */
const ERROR_CHARS = 8_000;

type Teller = Pick<Services, "notice" | "redact">;

/** What a client hears of an error, without secrets. A fault of ours is told in the log alone. */
export const errorText = (error: unknown, services: Teller): string =>
  excerpt(plainText(services.redact(explained(error, services))), ERROR_CHARS);

/** What a model can do about a failure, by its code. */
const WAYS_OUT: Partial<Readonly<Record<FailureCode, string>>> = {
  unknown_scenario: "list_scenarios shows the names",
  unknown_session: "list_sessions shows the ids",
  unknown_series: 'list_sessions with kind "series" shows the ids',
  invalid_scenario: "run_doctor with the scenario says more",
  sandbox_unavailable: "run_doctor says more",
  session_not_finished: "get_session shows how far it is",
};

function explained(error: unknown, { notice, redact }: Teller): string {
  if (!(error instanceof Failure)) {
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
    notice(plainText(redact(`internal error: ${trace}`)));
    return "internal: a fault of this server; its details are in the server's log (stderr)";
  }
  const { code, message, retryable } = error;
  const wayOut = WAYS_OUT[code] ?? (retryable ? "the same call may succeed later" : undefined);
  return `${code}: ${wayOut === undefined ? message : `${open(message)} ${wayOut}`}`;
}

/** A sentence that another part may follow. A question stays one. */
const open = (sentence: string) => (sentence.endsWith("?") ? sentence : `${sentence.replace(/\.$/, "")};`);
