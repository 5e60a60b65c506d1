/** Some text and the class of its colour. */
export interface ColouredText {
  readonly text: string;
  readonly class: string;
}

/** The colours of a text, as arrays that pass between threads without being copied. */
export interface Colouring {
  readonly classes: readonly string[];
  /** The characters of each token, and the index of its class. No token crosses the end of a line. */
  readonly lengths: Uint32Array<ArrayBuffer>;
  readonly colours: Uint16Array<ArrayBuffer>;
  /** The first token and the first character of each line; one more follows the last line. */
  readonly tokens: Uint32Array<ArrayBuffer>;
  readonly characters: Uint32Array<ArrayBuffer>;
}

/** A text with its colours. */
export interface Coloured {
  readonly text: string;
  readonly colouring: Colouring;
}

/** A line of a text by its number, from 1; null when it is not exactly `line`. */
export function colouredLine({ text, colouring }: Coloured, number: number, line: string): ColouredText[] | null {
  const { classes, lengths, colours, tokens, characters } = colouring;
  const [begin, next] = [characters[number - 1], characters[number]];
  if (begin === undefined || next === undefined || text.slice(begin, next - 1) !== line) return null;
  const coloured: ColouredText[] = [];
  let at = 0;
  for (let token = tokens[number - 1] ?? 0; token < (tokens[number] ?? 0); token += 1) {
    const end = at + (lengths[token] ?? 0);
    coloured.push({ text: line.slice(at, end), class: classes[colours[token] ?? 0] ?? "" });
    at = end;
  }
  return coloured;
}

const LANGUAGES: Readonly<Record<string, string>> = {
  ...{ ts: "typescript", tsx: "typescript", mts: "typescript", js: "typescript", jsx: "typescript", mjs: "typescript" },
  ...{ py: "python", sh: "bash", bash: "bash", css: "css", html: "xml", svg: "xml", xml: "xml", rs: "rust", go: "go" },
  ...{ json: "json", jsonc: "json", yaml: "yaml", yml: "yaml", md: "markdown", sql: "sql" },
};

/** By the path's ending; undefined when it is not coloured. */
export function languageOf(path: string): string | undefined {
  const ending = path.split(".").at(-1)?.toLowerCase() ?? "";
  return Object.hasOwn(LANGUAGES, ending) ? LANGUAGES[ending] : undefined;
}
