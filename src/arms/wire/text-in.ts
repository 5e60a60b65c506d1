import { asText, dig } from "../../domain/lenient.ts";

/** The text of a content: a string, or a list of strings and of blocks of which some have a `text`. */
export function textIn(content: unknown): string {
  if (!Array.isArray(content)) return asText(content) ?? asText(dig(content, "text")) ?? "";
  return content.map((block) => asText(block) ?? asText(dig(block, "text")) ?? "").join("");
}
