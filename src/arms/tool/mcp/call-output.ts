import { cut, excerpt } from "../../../domain/excerpt.ts";
import { asRecord, asText } from "../../../domain/lenient.ts";
import type { ToolOutput } from "../tool.ts";

/**
 * What a model reads of an answer to `tools/call`: its texts, a note for everything else, or the structure when there is no
 * text. Undefined for what is no result of a tool.
 */
export function callOutput(result: unknown, max_output_bytes: number): ToolOutput | undefined {
  const { content = [], structuredContent, isError } = asRecord(result) ?? { content: null };
  if (!Array.isArray(content)) return undefined;
  const hasText = content.some((block) => asRecord(block)?.["type"] === "text");
  const structure = structuredContent === undefined || hasText ? [] : [JSON.stringify(structuredContent)];
  const text = [...content.map(blockText), ...structure].join("\n").toWellFormed();
  return {
    text: text === "" ? "[empty]" : excerpt(text, max_output_bytes),
    ok: isError !== true,
    exit_code: null,
    bytes: Buffer.byteLength(text),
  };
}

/** A call that came to nothing, in our own words. */
export const noOutput = (why: string): ToolOutput => {
  const text = `[${why}]`;
  return { text, ok: false, exit_code: null, bytes: Buffer.byteLength(text) };
};

function blockText(given: unknown): string {
  const block = asRecord(given) ?? {};
  const { text, blob } = asRecord(block["resource"]) ?? {};
  switch (block["type"]) {
    case "text":
      return asText(block["text"]) ?? "";
    case "image":
    case "audio":
      return sizeNote(block["type"], block["data"]);
    case "resource":
      return asText(text) ?? sizeNote("file", blob);
    case "resource_link":
      return `[link to ${asText(block["uri"]) ?? "nowhere"}]`;
    default:
      return `[${cut(asText(block["type"]) ?? "something")}, not shown]`;
  }
}

/** @param data base64: four characters for three bytes */
const sizeNote = (what: string, data: unknown) =>
  `[${what}, ${Math.ceil(((asText(data) ?? "").length * 3) / 4 / 1000)} kB]`;
