/** Control characters of terminals and of text direction; line ends and tabs stay. */
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text that a terminal shows as it is: no control characters (C0, C1), no bidirectional or other format characters. */
export const plainText = (text: string): string => text.toWellFormed().replace(UNSEEN, "");

/** JSON that is the same value and steers no terminal: such characters are written as escapes. */
export const plainJson = (json: string): string => json.replace(UNSEEN, escaped);

const escaped = (character: string) =>
  Array.from(
    { length: character.length },
    (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`,
  ).join("");
