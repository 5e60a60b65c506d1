import { MAX_VALUE_BYTES, MAX_VARIABLES, valueFault, variableFault } from "../authored/fields.ts";
import { Unusable } from "../unusable.ts";

/** Variables that change nothing for a task. */
const PLAIN =
  /^(DEBIAN_FRONTEND|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PIP_\w+|UV_\w+|LANG|LANGUAGE|LC_\w+|TZ|TERM|TEST_DIR)$/;

/** What the `ENV` instructions of a Dockerfile set. */
export class DockerVariables {
  /** All that was set, for those that refer to it. */
  readonly #set: Map<string, string>;
  /** What commands need. */
  readonly #kept = new Map<string, string>();
  /** Directories were added to `PATH`. */
  extends_path = false;

  constructor(set: ReadonlyMap<string, string> = new Map()) {
    this.#set = new Map(set);
  }

  get env(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#kept);
  }

  /** Takes either form of an instruction. @throws Unusable */
  take(rest: string): void {
    // What an instruction sets is not known before its end.
    const before = new DockerVariables(this.#set);
    for (const [name, word] of pairsOf(rest)) {
      if (PLAIN.test(name)) {
        if (!word.includes("$")) this.#set.set(name, before.expanded(word));
      } else if (name === "PATH" && /(^"?|:)\$(PATH\b|\{PATH\})/.test(word)) this.extends_path = true;
      else this.#keep(name, before.expanded(word));
    }
    if (this.#kept.size > MAX_VARIABLES) throw new Unusable(`sets more than ${MAX_VARIABLES} variables`);
  }

  /** A word without quotes and escapes, with variables that were set. @throws Unusable for others */
  expanded(word: string): string {
    let text = "";
    for (const [piece] of word.matchAll(PIECES)) {
      text += this.#pieceOf(piece);
      if (text.length > MAX_VALUE_BYTES) throw new Unusable("has a Dockerfile with a value that is too long");
    }
    return text;
  }

  #pieceOf(piece: string): string {
    const inside = piece.slice(1, -1);
    switch (piece[0]) {
      case '"':
      case "'":
        if (piece.length === 1) throw new Unusable("has a Dockerfile with an open quote");
        return piece.startsWith("'") ? inside : this.expanded(inside.replace(IN_QUOTES, escaped));
      case "$":
        return this.#valueOf(piece);
      case "\\":
        return piece.slice(1);
      default:
        return piece;
    }
  }

  #keep(name: string, value: string): void {
    if (variableFault(name) !== null)
      throw new Unusable(`sets a variable that a scenario cannot set: ${name.slice(0, 100)}`);
    const fault = valueFault(value);
    if (fault !== null) throw new Unusable(`sets a variable that ${fault.split(";", 1)[0]}: ${name}`);
    this.#set.set(name, value);
    this.#kept.set(name, value);
  }

  #valueOf(piece: string): string {
    const value = this.#set.get(piece.replace(/[${}]/g, ""));
    if (value === undefined)
      throw new Unusable(`refers to a variable that no ENV before it sets: ${piece.slice(0, 100)}`);
    return value;
  }
}

/** Quoted text, references, escapes, and single characters. */
const PIECES = /"(?:\\[\s\S]|[^"\\])*"|'[^']*'|\$\{\w+\}|\$[A-Za-z_]\w*|\\[\s\S]|[\s\S]/g;

/** Within double quotes, single ones and most backslashes stand for themselves. */
const IN_QUOTES = /\\["$\\]|['\\]/g;
const escaped = (piece: string) => (piece.length === 2 ? piece : `\\${piece}`);

/** `NAME=word NAME=word`, or one name and the rest of the line. */
function pairsOf(rest: string): (readonly [name: string, word: string])[] {
  const [, name = "", text] = /^([^\s=]+)\s+(\S.*)$/s.exec(rest) ?? [];
  if (text !== undefined) return [[name, text.trim()]];
  const words = rest.match(/(?:\\[\s\S]|"(?:\\[\s\S]|[^"\\])*"|'[^']*'|[^\s"'\\])+|\S/g) ?? [];
  return words.map((word) => {
    const at = word.indexOf("=");
    if (at < 1) throw new Unusable("has a Dockerfile with a broken ENV");
    return [word.slice(0, at), word.slice(at + 1)];
  });
}
