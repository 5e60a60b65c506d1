import type { ModelReply } from "../../../arms/model/client.ts";
import { JUDGE_REPLY_CHARS } from "../../../domain/defaults.ts";

/** Deepest nesting that is read. An answer has seven levels. */
const DEPTH = 32;

/** All that a judge wrote, in one text; null when it is too long or nested too deep. Reading stops there. */
export function replyText({ text, calls }: Pick<ModelReply, "text" | "calls">): string | null {
  const parts = [text];
  let left = JUDGE_REPLY_CHARS - text.length;
  const waiting: { readonly value: unknown; readonly depth: number }[] = calls.map(({ input, unparsed }) => ({
    value: unparsed ?? input,
    depth: 0,
  }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (left < 0 || next.depth > DEPTH) return null;
    const { value, depth } = next;
    if (typeof value === "object" && value !== null)
      for (const [key, item] of Object.entries(value)) {
        parts.push(key);
        left -= key.length + 1;
        waiting.push({ value: item, depth: depth + 1 });
      }
    else {
      const written = String(value);
      parts.push(written);
      left -= written.length + 1;
    }
  }
  return left < 0 ? null : parts.join("\n");
}
