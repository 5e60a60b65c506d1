/** The expression of `/expression/`, as authors write one; null for literal text. */
export const regexOf = (text: string): string | null =>
  text.length > 1 && text.startsWith("/") && text.endsWith("/") ? text.slice(1, -1) : null;
