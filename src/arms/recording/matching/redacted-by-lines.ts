import type { Pace } from "../../../runtime/pace.ts";
import type { Redact } from "../../model/redaction.ts";

/** Characters of one step. */
const STEP_CHARS = 256 * 1024;

/** Forms of secrets for which each byte is looked at, about. */
const FORMS = 16;

/**
 * A text without secrets, some lines after the other: what can be sent in a header has no end of a line. The event loop runs while a
 * long text is read.
 */
export async function redactedByLines(text: string, redact: Redact, pace: Pace): Promise<string> {
  let [clean, from] = ["", 0];
  while (text.length - from > STEP_CHARS) {
    const newline = text.indexOf("\n", from + STEP_CHARS - 1);
    const end = newline < 0 ? text.length : newline + 1;
    clean += redact(text.slice(from, end));
    await pace.bytes(FORMS * (end - from));
    from = end;
  }
  return clean + redact(text.slice(from));
}
