/** Characters of text, inputs and outputs that a decision keeps (4 kB). */
const DETAIL_CHARS = 4_096;

/** At most about `limit` characters: head and tail, with a line between them that says how much is missing. */
export function excerpt(text: string, limit: number = DETAIL_CHARS): string {
  if (text.length <= limit) return text;
  const head = Math.floor(limit * 0.6);
  const note = `\n[... ${text.length - limit} characters left out ...]\n`;
  return (text.slice(0, head) + note + text.slice(text.length - (limit - head))).toWellFormed();
}

/** At most `limit` characters of a text whose beginning tells enough; the cut is shown. */
export const cut = (text: string, limit = 60): string =>
  text.length <= limit ? text : `${text.slice(0, limit).toWellFormed()}...`;
