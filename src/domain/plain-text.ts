/** Terminal sequences, and what turns or hides the text around it; line ends and tabs stay. */
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text that a terminal shows as it is: no control characters (C0, C1), no bidirectional or other format characters. */
export const plainText = (text: string): string => text.replace(UNSEEN, "");

/** The same for every text in a value; keys stay. */
export function plainTexts(value: unknown): unknown {
  if (typeof value === "string") return plainText(value);
  if (Array.isArray(value)) return value.map(plainTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainTexts(item)]));
}
