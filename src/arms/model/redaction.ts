import type { Secret } from "./provider/secret.ts";

const REDACTED = "[redacted]";

/** Shorter values are words rather than keys: removing "none" or "test" everywhere would destroy text and hide nothing. */
const MIN_SECRET_CHARS = 8;

/**
 * What keys look like at the usual providers, at GitHub, AWS and Slack. Where words could look the same they have a digit among
 * their first hundred characters; `sk-some-css-class-name` is no key. The looks ahead are bounded, so that a text of nothing but
 * beginnings takes linear time.
 */
const KEY_SHAPES = new RegExp(
  [
    /\b(?:sk|pk|gsk|xai|rk)[-_](?=[\w-]{0,99}\d)[\w-]{16,}/,
    /\bAIza[\w-]{30,}/,
    /\b(?:gh[opsur]_[A-Za-z\d]{36,}|github_pat_\w{36,})/,
    /\b(?:AKIA|ASIA)[A-Z\d]{16}\b/,
    /\bxox[abeoprs]-(?=[\w-]{0,99}\d)[\w-]{10,}/,
    /\b(Bearer|Basic)\s+(?=[\w.~+/=-]{0,99}\d)[\w.~+/-]{16,}=*/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/** Takes the given secrets out of text, in every form in which a program is likely to print them. */
export type Redact = (text: string) => string;

/** Removes exactly the given secrets: raw, JSON-escaped, URL-encoded, hex, and base64 also when it is part of a longer text. */
export function secretRedactor(secrets: readonly Secret[]): Redact {
  const forms = [...new Set(secrets.flatMap((secret) => writtenForms(secret.reveal())))];
  // Longest first: a form that contains another must go before it, or its ends stay.
  forms.sort((a, b) => b.length - a.length);
  return (text) => forms.reduce((rest, form) => (rest.includes(form) ? rest.replaceAll(form, REDACTED) : rest), text);
}

/** Removes what looks like a key, known or not. For error texts, not for what a model writes. */
export const redactKeyShapes: Redact = (text) =>
  text.replace(KEY_SHAPES, (_, scheme?: string) => (scheme === undefined ? REDACTED : `${scheme} ${REDACTED}`));

function writtenForms(value: string): readonly string[] {
  if (value.length < MIN_SECRET_CHARS) return [];
  const bytes = Buffer.from(value, "utf8");
  const hex = bytes.toString("hex");
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    hex,
    hex.toUpperCase(),
    ...[0, 1, 2].flatMap((offset) => base64Forms(bytes, offset)),
  ];
}

/**
 * The part of a base64 text that depends on `bytes` alone when they start `offset` bytes (modulo 3) into what was
 * encoded: the characters at both ends mix with the neighbours.
 */
function base64Forms(bytes: Buffer, offset: number): readonly string[] {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
  const end = Math.floor(((offset + bytes.length) * 8) / 6);
  const core = encoded.slice(Math.ceil((offset * 8) / 6), end);
  return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
}
