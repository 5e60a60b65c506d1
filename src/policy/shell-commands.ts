/** One simple command of a shell line; both lists have the same length. */
export interface SimpleCommand {
  /** Words as written; substitutions are replaced by `$()`. */
  readonly raw: readonly string[];
  /** The same words without quotes and escapes. */
  readonly words: readonly string[];
}

/** How deep substitutions may nest; deeper ones are read as text. */
const MAX_DEPTH = 20;

const PLAIN = /[^\s'"\\`$#<>;&|()]+/y;
const ARITHMETIC = /\$\(\([^()`$]*\)\)/y;
const HEREDOC = /<<-?[ \t]*(?:'([^']*)'|"([^"]*)"|\\?([^\s;&|()<>'"`]+))/y;
const REDIRECTION = /[<>]+[&|]?/y;
const SINGLE_QUOTED = /'[^']*'?/y;
const COMMENT = /#[^\n]*/y;

/**
 * The simple commands of a shell line: split at unquoted `;`, `&`, `|`, newlines and parentheses, and taken out of `$(...)`,
 * `<(...)` and backticks. Comments and the bodies of here-documents hold none. Time is linear in the length of the line.
 * It helps rules to read a line. It is no shell, and somebody who wants to deceive it can.
 */
export function simpleCommands(line: string): readonly SimpleCommand[] {
  return new Scanner(line).read();
}

class Piece {
  readonly raw: string[] = [];
  readonly words: string[] = [];
  #raw = "";
  #word = "";

  get inWord(): boolean {
    return this.#raw !== "";
  }

  add(raw: string, plain: string): void {
    this.#raw += raw;
    this.#word += plain;
  }

  endWord(): void {
    if (!this.inWord) return;
    this.raw.push(this.#raw);
    this.words.push(this.#word);
    this.#raw = "";
    this.#word = "";
  }
}

class Scanner {
  readonly #source: string;
  readonly #found: SimpleCommand[] = [];
  readonly #heredocs: string[] = [];
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  read(): readonly SimpleCommand[] {
    while (this.#at < this.#source.length) this.#commandsUntil(null);
    return this.#found;
  }

  #commandsUntil(end: ")" | "`" | null): void {
    let piece = new Piece();
    while (this.#at < this.#source.length) {
      const char = this.#source[this.#at];
      if (char === end) break;
      if (!isSeparator(char)) {
        this.#step(piece, char);
        continue;
      }
      this.#finish(piece);
      piece = new Piece();
      this.#at += 1;
      if (char === "\n") this.#skipHeredocs();
      if (char === "(") this.#nested(")");
    }
    this.#at += 1;
    this.#finish(piece);
  }

  #finish(piece: Piece): void {
    piece.endWord();
    if (piece.raw.length > 0) this.#found.push({ raw: piece.raw, words: piece.words });
  }

  #step(piece: Piece, char: string | undefined): void {
    switch (char) {
      case "'":
        this.#singleQuoted(piece);
        break;
      case '"':
        this.#doubleQuoted(piece);
        break;
      case "\\":
        this.#escape(piece);
        break;
      case "`":
      case "$":
        this.#dollar(piece);
        break;
      case "<":
      case ">":
        this.#angle(piece);
        break;
      case "#":
        this.#hash(piece);
        break;
      default:
        this.#plain(piece);
        break;
    }
  }

  #plain(piece: Piece): void {
    const text = this.#match(PLAIN)?.[0];
    if (text !== undefined) {
      piece.add(text, text);
      return;
    }
    this.#at += 1;
    piece.endWord();
  }

  #singleQuoted(piece: Piece): void {
    const raw = this.#match(SINGLE_QUOTED)?.[0] ?? "";
    piece.add(raw, raw.replaceAll("'", ""));
  }

  #doubleQuoted(piece: Piece): void {
    piece.add('"', "");
    this.#at += 1;
    while (this.#at < this.#source.length && this.#source[this.#at] !== '"') this.#insideQuotes(piece);
    piece.add('"', "");
    this.#at += 1;
  }

  #insideQuotes(piece: Piece): void {
    const char = this.#source.charAt(this.#at);
    if (char === "\\") this.#escape(piece);
    else if (char === "$" || char === "`") this.#dollar(piece);
    else {
      this.#at += 1;
      piece.add(char, char);
    }
  }

  #escape(piece: Piece): void {
    const char = this.#source.charAt(this.#at + 1);
    this.#at += 2;
    // A backslash before a newline joins two lines.
    if (char !== "\n") piece.add(`\\${char}`, char);
  }

  #dollar(piece: Piece): void {
    const char = this.#source.charAt(this.#at);
    const text = this.#match(ARITHMETIC)?.[0] ?? char;
    if (text !== char) piece.add(text, text);
    else if (char === "`") this.#substitution(piece, 1, "`");
    else if (this.#source.startsWith("$(", this.#at)) this.#substitution(piece, 2, ")");
    else {
      this.#at += 1;
      piece.add(char, char);
    }
  }

  #substitution(piece: Piece, opening: number, end: ")" | "`"): void {
    this.#at += opening;
    piece.add("$()", "$()");
    this.#nested(end);
  }

  #nested(end: ")" | "`"): void {
    if (this.#depth >= MAX_DEPTH) return;
    this.#depth += 1;
    this.#commandsUntil(end);
    this.#depth -= 1;
  }

  #angle(piece: Piece): void {
    if (this.#source.charAt(this.#at + 1) === "(") {
      this.#substitution(piece, 2, ")");
      return;
    }
    const heredoc = this.#source.startsWith("<<<", this.#at) ? null : this.#match(HEREDOC);
    if (heredoc) this.#heredocs.push(heredoc[1] ?? heredoc[2] ?? heredoc[3] ?? "");
    const text = heredoc?.[0] ?? this.#match(REDIRECTION)?.[0] ?? "";
    piece.add(text, text);
  }

  #hash(piece: Piece): void {
    if (!piece.inWord) {
      this.#match(COMMENT);
      return;
    }
    this.#at += 1;
    piece.add("#", "#");
  }

  #skipHeredocs(): void {
    for (const delimiter of this.#heredocs.splice(0)) {
      let line: string | null = null;
      while (line !== delimiter && this.#at < this.#source.length) line = this.#takeLine().replace(/^\t+/, "");
    }
  }

  #takeLine(): string {
    const newline = this.#source.indexOf("\n", this.#at);
    const end = newline === -1 ? this.#source.length : newline;
    const line = this.#source.slice(this.#at, end);
    this.#at = end + 1;
    return line;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#source);
    if (match) this.#at += match[0].length;
    return match;
  }
}

const isSeparator = (char: string | undefined) => char !== undefined && ";&|\n()".includes(char);
