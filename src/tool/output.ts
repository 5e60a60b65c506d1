import type { ToolOutput } from "./tool.ts";

/** The output of a tool that did its work. @param whole what `text` was cut from, when it was cut */
export const outputOf = (text: string, whole: string = text): ToolOutput => ({
  text,
  ok: true,
  exit_code: null,
  bytes: Buffer.byteLength(whole),
});
