import stringWidth from "string-width";

/**
 * Joins parts to lines of at most `width` cells. A part is never broken, so that no figure loses its unit. A part that is
 * wider than a line gets a line of its own, which the terminal breaks.
 */
export function wrap(parts: readonly string[], separator: string, width: number): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const line = last === undefined ? part : `${last}${separator}${part}`;
    // The separator that ends a line has no blank behind it.
    const fits = stringWidth(line) <= width;
    if (last !== undefined && !fits) lines[lines.length - 1] = `${last}${separator.trimEnd()}`;
    if (last === undefined || !fits) lines.push(part);
    else lines[lines.length - 1] = line;
  }
  return lines;
}

/** Words of a text. */
export const wrapWords = (text: string, width: number): string[] => wrap(text.split(" "), " ", width);

/** Words of a text behind `head`; the lines after the first begin below its first word. */
export function hanging(head: string, text: string, width: number): string[] {
  const indent = stringWidth(head);
  const [first = "", ...rest] = wrapWords(text, width - indent);
  return [`${head}${first}`, ...rest.map((line) => `${" ".repeat(indent)}${line}`)];
}
