import { plainText } from "../../domain/plain-text.ts";

/** Escapes text so that nothing in it is read as markup. */
export const plain = (text: string) =>
  plainText(text)
    .replace(/\s+/g, " ")
    .replace(/[\\`*_{}[\]<>|#!&]/g, (mark) => `&#${mark.charCodeAt(0)};`);

/** A table of plain texts. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(plain).join(" | ")} |`;
  return `${[line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n")}\n`;
}
