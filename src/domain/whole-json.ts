/** Each escape of a JSON text; in what `JSON.stringify` makes, those of half a surrogate pair stand for nothing else. */
const ESCAPES = /\\(?:u[dD][89a-fA-F][0-9a-fA-F]{2}|.)/g;

/**
 * JSON that every reader takes: JSON.stringify writes half a surrogate pair as an escape, at which `jq` and PostgreSQL's jsonb
 * refuse the whole text. U+FFFD takes its place.
 */
export function wholeJson(value: unknown, space?: number): string {
  const text = JSON.stringify(value, null, space);
  return text.includes("\\ud") ? text.replace(ESCAPES, (found) => (found.length === 6 ? "\\ufffd" : found)) : text;
}
