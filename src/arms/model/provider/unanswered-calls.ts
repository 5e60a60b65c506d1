import type { Message, ToolResult } from "../client.ts";

const NOT_RUN = "Not run: the reply was cut before this call was complete.";

/**
 * The history with a result for every call. Both providers refuse a request with a call that has none, and a turn that the
 * output limit cut leaves such calls. `callsOf` gives the ids of the calls that a turn shows on the wire.
 */
export function answerEveryCall(
  messages: readonly Message[],
  callsOf: (turn: Message) => readonly string[],
): readonly Message[] {
  return messages.flatMap((message, index) => {
    const calls = callsOf(message);
    if (calls.length === 0) return message.role === "tool" && isFilled(messages[index - 1], callsOf) ? [] : [message];
    const next = messages[index + 1];
    const given = next?.role === "tool" ? next.results : [];
    const known = new Set(given.map(({ call_id }) => call_id));
    const missing = calls
      .filter((id) => !known.has(id))
      .map((call_id): ToolResult => ({ call_id, ok: false, text: NOT_RUN }));
    return [message, { role: "tool" as const, results: [...given, ...missing] }];
  });
}

/** The results that follow `previous` were added with it. */
function isFilled(previous: Message | undefined, callsOf: (turn: Message) => readonly string[]): boolean {
  return previous !== undefined && callsOf(previous).length > 0;
}
