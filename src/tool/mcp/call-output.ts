import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/sdk/types.js";
import { excerpt } from "../../domain/excerpt.ts";
import type { ToolOutput } from "../tool.ts";

/** What a model reads of a result: its texts, a note for everything else, or the structure when there is no text. */
export function callOutput(result: CallToolResult, max_output_bytes: number): ToolOutput {
  const { content, structuredContent, isError } = result;
  const hasText = content.some(({ type }) => type === "text");
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

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return sizeNote(block.type, block.data);
    case "resource":
      return "text" in block.resource ? block.resource.text : sizeNote("file", block.resource.blob);
    case "resource_link":
      return `[link to ${block.uri}]`;
  }
}

/** @param data base64: four characters for three bytes */
const sizeNote = (what: string, data: string) => `[${what}, ${Math.ceil((data.length * 3) / 4 / 1000)} kB]`;
