/** Written in place of what a file tells its reader rather than its machine. */
const COMMENT = "[comment]";
const WORDS = "[words]";
const NAME = "[name]";

/** Words from which a text in quotes, or a name, counts as a sentence. */
const SENTENCE_WORDS = 4;
const NAME_WORDS = 6;

/** What opens something that is no code; the rest of the line, or up to what closes it. */
interface Grammar {
  readonly line: readonly string[];
  readonly blocks: Readonly<Record<string, string>>;
  /** Texts that may go on over the end of a line. */
  readonly texts: readonly string[];
  /** What stands outside all of these, between signs, may be words. */
  readonly prose?: true;
}

const SLASHES: Grammar = { line: ["//"], blocks: { "/*": "*/" }, texts: ["`"] };
const HASHES: Grammar = { line: ["#"], blocks: {}, texts: ['"""', "'''"] };
const DASHES: Grammar = { line: ["--"], blocks: { "/*": "*/", "--[[": "]]", "{-": "-}" }, texts: [] };
const MARKUP: Grammar = { line: [], blocks: { "<!--": "-->" }, texts: [], prose: true };

const ENDINGS: readonly (readonly [RegExp, Grammar])[] = [
  [
    /\.(?:[cm]?[jt]sx?|json[5c]?|java|cs?|h|cc|cpp|hpp|go|rs|swift|kts?|scala|php|dart|s?css|less|proto|zig)$/i,
    SLASHES,
  ],
  [
    /\.(?:pyi?|rb|sh|bash|zsh|ya?ml|toml|ini|cfg|conf|pl|pm|r|jl|exs?|nix|tf)$|(?:^|\/)(?:Docker|Make|Gem)file$/i,
    HASHES,
  ],
  [/\.(?:sql|lua|hs|elm)$/i, DASHES],
  [/\.(?:html?|xml|svg|vue|svelte)$/i, MARKUP],
];

/** Masks, line by line, what the lines of one hunk tell a reader. */
export type MaskWords = (line: string) => string;

/**
 * Comments, sentences in quotes and names like sentences go, the code around them stays, as far as the file's ending tells
 * which is which; a file of another kind is words as a whole. One line after the other: a comment may go on. Linear.
 */
export function wordMask(path: string): MaskWords {
  const grammar = ENDINGS.find(([ending]) => ending.test(path))?.[1];
  if (grammar === undefined) return (line) => (line.trim() === "" ? line : WORDS);
  const mask = new Mask(grammar);
  return (line) => mask.line(line);
}

class Mask {
  readonly #grammar: Grammar;
  readonly #opener: RegExp;
  /** What ends that in which the last line ended. */
  #inside: { readonly close: string; readonly comment: boolean } | null = null;

  constructor(grammar: Grammar) {
    this.#grammar = grammar;
    const free = grammar.line.map((sign) => `(?<![^\\s;)}\\]])${RegExp.escape(sign)}`);
    const bound = [...Object.keys(grammar.blocks), ...grammar.texts].map(RegExp.escape);
    this.#opener = new RegExp([...bound, ...free, '"', "'"].join("|"), "g");
  }

  line(text: string): string {
    const parts: string[] = [];
    const unclosed = new Set<string>();
    let at = this.#finish(text, 0, parts);
    while (at < text.length) {
      this.#opener.lastIndex = at;
      const found = this.#opener.exec(text);
      const start = found?.index ?? text.length;
      const plain = text.slice(at, start);
      parts.push(this.#grammar.prose ? plain.replace(/[^<>]+/g, hushed) : code(plain));
      at = found ? this.#pass(text, { token: found[0], start, unclosed, parts }) : text.length;
    }
    return parts.join("");
  }

  /** Goes on behind what this token opens. */
  #pass(text: string, { token, start, unclosed, parts }: Opened): number {
    const behind = start + token.length;
    if (this.#grammar.line.includes(token)) {
      parts.push(token, COMMENT);
      return text.length;
    }
    const close = this.#grammar.blocks[token];
    parts.push(token);
    if (close !== undefined || this.#grammar.texts.includes(token)) {
      this.#inside = { close: close ?? token, comment: close !== undefined };
      return this.#finish(text, behind, parts);
    }
    const end = unclosed.has(token) ? -1 : endOfQuote(text, behind, token);
    if (end === -1) unclosed.add(token);
    if (end === -1) return behind;
    parts.push(hushed(text.slice(behind, end)), token);
    return end + 1;
  }

  /** Goes on behind the end of what stands open; the end of the line when it does not end there. */
  #finish(text: string, at: number, parts: string[]): number {
    if (this.#inside === null) return at;
    const { close, comment } = this.#inside;
    const end = text.indexOf(close, at);
    const held = text.slice(at, end === -1 ? text.length : end);
    if (held.trim() !== "") parts.push(comment ? COMMENT : hushed(held));
    if (end === -1) return text.length;
    this.#inside = null;
    parts.push(close);
    return end + close.length;
  }
}

interface Opened {
  readonly token: string;
  readonly start: number;
  /** Quotes that nothing closes on this line. */
  readonly unclosed: Set<string>;
  readonly parts: string[];
}

function endOfQuote(text: string, start: number, quote: string): number {
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === quote) return at;
    if (text[at] === "\\") at += 1;
  }
  return -1;
}

const hushed = (text: string) => (isSentence(text) ? WORDS : text);

/** Several words; a run of letters that need no blanks between words; or one so long that it is a text in disguise. */
function isSentence(text: string): boolean {
  const words = text.split(/[\s_-]+/);
  if (words.filter((word) => /\p{L}/u.test(word)).length >= SENTENCE_WORDS) return true;
  return words.some((word) => /[\p{L}\p{N}]{40}|[^ -~]{6}/u.test(word));
}

const code = (text: string) =>
  text.replace(/[\p{L}_$][\p{L}\p{N}_$]{23,}/gu, (name) => (wordsOf(name) >= NAME_WORDS ? NAME : name));

/** Words of a name, by underscores and capitals. */
const wordsOf = (name: string) => name.match(/\p{Lu}?\p{Ll}+|\p{Lu}+|\p{N}+|[^\p{L}\p{N}_$]+/gu)?.length ?? 0;
