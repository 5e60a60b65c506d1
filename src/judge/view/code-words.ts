/** What a part of a line is: code, or one of three kinds of words. `prose` goes on over lines, or is no code at all. */
export interface Piece {
  readonly kind: "code" | "comment" | "text" | "prose";
  readonly text: string;
}

/** What opens something that is no code; the rest of the line, or up to what closes it. */
interface Grammar {
  readonly line: readonly string[];
  readonly blocks: Readonly<Record<string, string>>;
  /** Texts that may go on over the end of a line. */
  readonly texts: readonly string[];
  /** Of a text that ends on its line. */
  readonly quotes: readonly string[];
}

const QUOTES = ['"', "'"];
const SLASHES: Grammar = { line: ["//"], blocks: { "/*": "*/" }, texts: ["`"], quotes: QUOTES };
/** A single quote opens a lifetime as well. */
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

/** Characters of the longest line that is read. Code has no such lines, and a step of reading stays short. */
const MAX_LINE = 20_000;

/**
 * Tells code from words in a file, one line after the other from its first: a comment may go on. As far as the file's ending
 * tells which is which; a file of another kind is words, and so is what follows a line that is too long to read. Linear.
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
  /** What ends that in which the last line ended. */
  #inside: { readonly close: string; readonly kind: "comment" | "prose" } | null = null;

  constructor(grammar: Grammar) {
    this.#grammar = grammar;
    const free = grammar.line.map((sign) => `(?<![^\\s;)}\\]])${RegExp.escape(sign)}`);
    const bound = [...Object.keys(grammar.blocks), ...grammar.texts].map(RegExp.escape);
    this.#opener = new RegExp([...bound, ...free, ...grammar.quotes].join("|"), "g");
  }

  pieces(line: string): readonly Piece[] {
    const parts: Piece[] = [];
    const unclosed = new Set<string>();
    let at = this.#inside ? this.#finish(line, 0, parts) : 0;
    while (at < line.length) {
      this.#opener.lastIndex = at;
      const found = this.#opener.exec(line);
      const start = found?.index ?? line.length;
      parts.push({ kind: "code", text: line.slice(at, start) });
      at = found ? this.#pass(line, { token: found[0], start, unclosed, parts }) : line.length;
    }
    return parts;
  }

  /** Goes on behind what this token opens. */
  #pass(line: string, { token, start, unclosed, parts }: Opened): number {
    const behind = start + token.length;
    parts.push({ kind: "code", text: token });
    if (this.#grammar.line.includes(token)) {
      parts.push({ kind: "comment", text: line.slice(behind) });
      return line.length;
    }
    const close = this.#grammar.blocks[token];
    if (close !== undefined) return this.#open({ close, kind: "comment" }, line, behind, parts);
    const end = unclosed.has(token) ? -1 : endOfQuote(line, behind, token);
    if (end === -1 && this.#grammar.texts.includes(token))
      return this.#open({ close: token, kind: "prose" }, line, behind, parts);
    if (end === -1) unclosed.add(token);
    if (end === -1) return behind;
    parts.push({ kind: "text", text: line.slice(behind, end) }, { kind: "code", text: token });
    return end + token.length;
  }

  #open(inside: { close: string; kind: "comment" | "prose" }, line: string, at: number, parts: Piece[]): number {
    this.#inside = inside;
    return this.#finish(line, at, parts);
  }

  /** Goes on behind the end of what stands open; the end of the line when it does not end there. */
  #finish(line: string, at: number, parts: Piece[]): number {
    const { close, kind } = this.#inside ?? { close: "", kind: "prose" };
    const end = kind === "comment" ? line.indexOf(close, at) : endOfQuote(line, at, close);
    parts.push({ kind, text: line.slice(at, end === -1 ? line.length : end) });
    if (end === -1) return line.length;
    this.#inside = null;
    parts.push({ kind: "code", text: close });
    return end + close.length;
  }
}

interface Opened {
  readonly token: string;
  readonly start: number;
  /** Quotes that nothing closes on this line. */
  readonly unclosed: Set<string>;
  readonly parts: Piece[];
}

function endOfQuote(text: string, start: number, quote: string): number {
  for (let at = start; at < text.length; at += 1) {
    if (text.startsWith(quote, at)) return at;
    if (text[at] === "\\") at += 1;
  }
  return -1;
}
