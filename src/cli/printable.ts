/** What could steer a terminal or turn a line around: control, direction and invisible characters but line breaks and tabs. */
const STEERING = /(?![\n\t])[\p{Cc}\p{Cf}]/gu;

/** For a terminal or a report. An arm may have written any of it. */
export const printable = (text: string): string => text.toWellFormed().replace(STEERING, "");

/** JSON that is the same value and steers no terminal: such characters are written as escapes. */
export const printableJson = (json: string): string => json.replace(STEERING, escaped);

const escaped = (character: string) =>
  Array.from(
    { length: character.length },
    (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`,
  ).join("");
