import { RESULT_BYTES } from "../fit.ts";

/** A stretch of a long JSON text. The stretches joined are the text. */
export interface JsonPage {
  readonly json: string;
  /** Characters before it, and of the whole text. */
  readonly from: number;
  readonly total: number;
}

/** What a stretch may take of a result; a summary stands before it. */
const PAGE_BYTES = RESULT_BYTES * 0.75;

/** From character `from` on as much as a page holds, and at least one character while there is one. */
export function pageJson(text: string, from: number): JsonPage {
  let json = text.slice(from, from + PAGE_BYTES);
  while (Buffer.byteLength(json) > PAGE_BYTES)
    json = json.slice(0, Math.floor((json.length * PAGE_BYTES) / Buffer.byteLength(json)));
  // A character of two units stays whole.
  const isCut = from + json.length < text.length && /[\ud800-\udbff]$/.test(json);
  return { json: isCut ? json.slice(0, -1) : json, from, total: text.length };
}

/** Says what the page is, and how to get the next. */
export function fullText({ json, from, total }: JsonPage): string {
  if (from >= total)
    return `Nothing is left: the session is ${total} characters of JSON; start again with after_seq 0.`;
  const end = from + json.length;
  const which = json.length === total ? "all of it" : `characters ${from + 1} to ${end} of ${total}`;
  const more = end < total ? `; more with after_seq ${end}` : "";
  return `Below, as JSON, ${which}${more}. Decisions and patches: detail "decisions" and "diff".`;
}
