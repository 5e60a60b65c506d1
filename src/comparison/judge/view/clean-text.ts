import { sha256 } from "../../../domain/sha256.ts";

/** Cleaning a character of the worst kind takes as long as reading so many. */
export const CLEAN_COST = 40;

/** So many letters and digits in a row are an encoded blob. No word or identifier is that long. */
const BLOB_CHARS = 256;

/** Up to so many invisible characters in a row are spelled out one by one. */
const SPELLED_CHARS = 3;

const [ESC, BEL, CSI] = ["\u001b", "\u0007", "\u009b"];
const PARAMETERS = "[0-?]*[ -/]*[@-~]";

/** Terminal control sequences: CSI, OSC with its text, and the two-character escapes. */
const ANSI = new RegExp(
  `${ESC}(?:\\[${PARAMETERS}|\\][^${BEL}${ESC}]{0,4096}(?:${BEL}|${ESC}\\\\)|[@-Z\\\\-_])|${CSI}${PARAMETERS}`,
  "g",
);

/** All but newline, tab and the one that is a line separator. */
const CONTROLS = /[^\P{Cc}\n\t\u0085]/gu;

/** The inside of a class: format characters (zero width, bidi, tags), variation selectors, fillers, line separators. */
export const INVISIBLE =
  "\\p{Cf}\\u115f\\u1160\\u2028\\u2029\\u0085\\u3164\\uffa0\\u2800\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}\\u034f";
const INVISIBLES = new RegExp(`[${INVISIBLE}]+`, "gu");

const BLOB = new RegExp(`(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{${BLOB_CHARS},}={0,2}`, "g");

/**
 * Text that shows what it holds. Terminal sequences and control characters are removed, invisible characters are spelled
 * out, newlines are of one kind, and long encoded blobs are replaced by their length and hash. Linear in the length.
 */
export function cleanText(text: string): string {
  return visible(text).replace(BLOB, summarise);
}

/** Like `cleanText`, on one line. */
export const cleanLine = (text: string) => cleanText(text).replace(/\s+/g, " ").trim();

/** Most text is plain and needs no cleaning. One look at it is cheaper than five passes. */
const PLAIN = /^[\t\n -~]*$/;

function visible(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(ANSI, "")
    .replace(CONTROLS, "")
    .replace(INVISIBLES, spellOut);
}

function spellOut(characters: string): string {
  const points = [...characters].map((character) => character.codePointAt(0) ?? 0);
  if (points.length > SPELLED_CHARS) return `⟨${points.length} invisible characters⟩`;
  return points.map((point) => `⟨U+${point.toString(16).toUpperCase().padStart(4, "0")}⟩`).join("");
}

function summarise(blob: string): string {
  return `⟨${blob.length} encoded characters, sha256 ${sha256(blob).slice(0, 12)}⟩`;
}
