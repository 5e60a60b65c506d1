import { isUtf8 } from "node:buffer";

const decoder = new TextDecoder();
const faithful = new TextDecoder("utf-8", { ignoreBOM: true });

/** The text in bytes that are valid UTF-8; undefined for others. A byte order mark is left out, or kept as a character. */
export function strictText(bytes: Uint8Array, mark: "without mark" | "with mark" = "without mark"): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  return (mark === "with mark" ? faithful : decoder).decode(bytes);
}
