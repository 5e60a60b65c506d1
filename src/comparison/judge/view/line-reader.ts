/** A part of a line: code, or one of three kinds of words. `prose` is a text of several lines or a file without code. */
export interface Piece {
  readonly kind: "code" | "comment" | "text" | "prose";
  readonly text: string;
}

/** What opens words: to the end of the line, or to what closes them. */
interface Grammar {
  readonly line: readonly string[];
  readonly blocks: Readonly<Record<string, string>>;
  /** Quotes of a text that can go on over lines. */
  readonly texts: readonly string[];
  /** Quotes of a text that ends on its line. */
  readonly quotes: readonly string[];
}

const QUOTES = ['"', "'"];
const SLASHES: Grammar = { line: ["//"], blocks: { "/*": "*/" }, texts: ["`"], quotes: QUOTES };
/** Rust has no single quote here, since that also opens a lifetime. */
const RUST: Grammar = { ...SLASHES, texts: [], quotes: ['"'] };
const HASHES: Grammar = { line: ["#"], blocks: {}, texts: ['"""', "'''"], quotes: QUOTES };
const DASHES: Grammar = {
  line: ["--"],
  blocks: { "/*": "*/", "--[[": "]]", "{-": "-}" },
  texts: [],
  quotes: QUOTES,
};
const MARKUP: Grammar = { line: [], blocks: { "<!--": "-->" }, texts: [], quotes: QUOTES };

const ENDINGS: readonly (readonly [RegExp, Grammar])[] = [
  [/\.rs$/i, RUST],
  [/\.(?:[cm]?[jt]sx?|json[5c]?|java|cs?|h|cc|cpp|hpp|go|swift|kts?|scala|php|dart|s?css|less|proto|zig)$/i, SLASHES],
  [
    /\.(?:pyi?|rb|sh|bash|zsh|ya?ml|toml|ini|cfg|conf|pl|pm|r|jl|exs?|nix|tf)$|(?:^|\/)(?:Docker|Make|Gem)file$/i,
    HASHES,
  ],
  [/\.(?:sql|lua|hs|elm)$/i, DASHES],
  [/\.(?:html?|xml|svg|vue|svelte)$/i, MARKUP],
];

/** Longest line that is read as code, characters. Code has no longer lines, and reading one stays a short step. */
const MAX_LINE = 20_000;

/**
 * Tells code from words, line by line from the first line of a file. The ending of the file's name tells its grammar. A file
 * without a known grammar is prose, and so is everything after a line that is too long. Linear in the length.
 */
export function lineReader(path: string): (line: string) => readonly Piece[] {
  const grammar = ENDINGS.find(([ending]) => ending.test(path))?.[1];
  let reader = grammar && new LineReader(grammar);
  return (line) => {
    if (line.length > MAX_LINE) reader = undefined;
    return reader ? reader.pieces(line) : [{ kind: "prose", text: line }];
  };
}

class LineReader {
  readonly #grammar: Grammar;
  readonly #opener: RegExp;
  /** The pieces of the current line. */
  #pieces: Piece[] = [];
  /** Quotes that this line does not close. */
  readonly #unclosed = new Set<string>();
  /** What closes the words in which the last line ended. */
  #inside: { readonly close: string; readonly kind: "comment" | "prose" } | null = null;

  constructor(grammar: Grammar) {
    this.#grammar = grammar;
    const free = grammar.line.map((sign) => `(?<![^\\s;)}\\]])${RegExp.escape(sign)}`);
    const bound = [...Object.keys(grammar.blocks), ...grammar.texts].map(RegExp.escape);
    this.#opener = new RegExp([...bound, ...free, ...grammar.quotes].join("|"), "g");
  }

  pieces(line: string): readonly Piece[] {
    this.#pieces = [];
    this.#unclosed.clear();
    let at = this.#inside ? this.#finish(line, 0) : 0;
    while (at < line.length) {
      this.#opener.lastIndex = at;
      const found = this.#opener.exec(line);
      const start = found?.index ?? line.length;
      this.#pieces.push({ kind: "code", text: line.slice(at, start) });
      at = found ? this.#pass(line, found[0], start) : line.length;
    }
    return this.#pieces;
  }

  /** Reads what this token opens; returns where to go on. */
  #pass(line: string, token: string, start: number): number {
    const behind = start + token.length;
    this.#pieces.push({ kind: "code", text: token });
    if (this.#grammar.line.includes(token)) {
      this.#pieces.push({ kind: "comment", text: line.slice(behind) });
      return line.length;
    }
    const close = this.#grammar.blocks[token];
    if (close !== undefined) {
      this.#inside = { close, kind: "comment" };
      return this.#finish(line, behind);
    }
    const end = this.#unclosed.has(token) ? -1 : endOfQuote(line, behind, token);
    if (end === -1 && this.#grammar.texts.includes(token)) {
      this.#inside = { close: token, kind: "prose" };
      return this.#finish(line, behind);
    }
    if (end === -1) {
      this.#unclosed.add(token);
      return behind;
    }
    this.#pieces.push({ kind: "text", text: line.slice(behind, end) }, { kind: "code", text: token });
    return end + token.length;
  }

  /** Reads to the end of the open words, or of the line; returns where to go on. */
  #finish(line: string, at: number): number {
    const { close, kind } = this.#inside ?? { close: "", kind: "prose" };
    const end = kind === "comment" ? line.indexOf(close, at) : endOfQuote(line, at, close);
    this.#pieces.push({ kind, text: line.slice(at, end === -1 ? line.length : end) });
    if (end === -1) return line.length;
    this.#inside = null;
    this.#pieces.push({ kind: "code", text: close });
    return end + close.length;
  }
}

function endOfQuote(text: string, start: number, quote: string): number {
  for (let at = start; at < text.length; at += 1) {
    if (text.startsWith(quote, at)) return at;
    if (text[at] === "\\") at += 1;
  }
  return -1;
}
