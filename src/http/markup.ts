/** HTML that is safe to put into HTML as it is. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Markup | readonly Part[];

/** Values are escaped; markup and lists of it go in as they are. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  new Markup(strings.map((text, i) => text + written(parts[i] ?? "")).join(""));

/** Text of our own that holds markup. */
export const raw = (text: string) => new Markup(text);

function written(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (typeof part === "object") return part.map(written).join("");
  return Bun.escapeHTML(String(part));
}

/** Paragraphs, with `code` between back-ticks. */
export const prose = (text: string): Markup[] =>
  text.split("\n\n").map((paragraph) => {
    const pieces = paragraph.split("`").map((piece, i) => (i % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`));
    return html`<p>${pieces}</p>`;
  });
