import {
  type Assignment,
  type Command,
  forEachChild,
  type HereDoc,
  type ParsedScript,
  type PipelineNode,
  parse,
  type Redirection,
  type SyntaxNode,
  type Word,
} from "unbash";
import { cut } from "../../domain/excerpt.ts";
import { type ShellWord, shellWord, wordText } from "./shell-words.ts";

/** One simple command of a shell line. */
export interface SimpleCommand {
  /** As written, with assignments and redirections; substitutions are replaced by `$()`. */
  readonly written: string;
  /** The same from its name on. */
  readonly raw: string;
  /** Its name and its arguments. */
  readonly words: readonly ShellWord[];
  readonly redirections: readonly string[];
  /** The text on its standard input. Null when it is known only at run time; undefined when there is none. */
  readonly input: string | null | undefined;
}

export interface ShellLine {
  readonly commands: readonly SimpleCommand[];
  /** Why there may be more commands than these; null when all are here. */
  readonly unread: string | null;
}

/** Why a command is not known whose name is made of variables, substitutions or patterns. */
export const unknownName = ({ raw }: ShellWord): string =>
  `which command ${cut(raw)} stands for is known only when it runs`;

/** Characters. The parser takes quadratic time for open here-documents: 26 ms for this many. */
export const COMMAND_CHARS = 16_384;

/**
 * The parser reads the rest of a line again for each nested one of these. For this many of each text in a row, that takes
 * some ten milliseconds.
 */
const MOST = [
  { what: "`${`", most: 800, texts: ["${"] },
  { what: "backquotes and quotation marks", most: 2_000, texts: ["`", '"'] },
] as const;

/** Levels of syntax: six nested quoted substitutions, or ten loops. The parser reads the rest again at each level. */
const MAX_LEVELS = 40;

/**
 * The simple commands of a shell line, also those in substitutions, functions and here-documents that the shell expands. Never
 * throws. It helps rules to read a line. It runs nothing, and it can be deceived.
 */
export function readShell(line: string): ShellLine {
  if (line.length > COMMAND_CHARS)
    return { commands: [], unread: `it has more than ${COMMAND_CHARS} characters, which are not read` };
  const intricate = MOST.find(({ texts, most }) => texts.every((text) => line.split(text).length - 1 > most));
  if (intricate) return { commands: [], unread: `it has more than ${intricate.most} ${intricate.what}` };
  const reader = new Reader(line);
  try {
    reader.read(parse(line));
  } catch (error) {
    // The parser promises not to throw. If it does, an arm must not fail because of its model's text.
    reader.fault(`the parser failed: ${error instanceof Error ? error.message : "unknown"}`);
  }
  return reader;
}

interface Place {
  /** What the positions of a node count in. */
  readonly source: string;
  readonly level: number;
  readonly input: SimpleCommand["input"];
  /** Inside `((`, which is also read as arithmetic; nested ones would be read twice at each level. */
  readonly in_subshells: boolean;
}

class Reader implements ShellLine {
  readonly commands: SimpleCommand[] = [];
  unread: string | null = null;
  readonly #line: string;

  constructor(line: string) {
    this.#line = line;
  }

  read(script: ParsedScript): void {
    this.#visit(script, { source: this.#line, level: 0, input: undefined, in_subshells: false });
  }

  /** Only the first counts: others may follow from it. */
  fault(why: string): void {
    this.unread ??= why;
  }

  #visit(node: SyntaxNode, place: Place): void {
    if (place.level > MAX_LEVELS) {
      this.fault(`it has more than ${MAX_LEVELS} levels`);
      return;
    }
    const inside = this.#inside(node, place);
    let before: PipelineNode | undefined;
    forEachChild(node, (child) => {
      this.#visit(child, before && isCommand(child) ? { ...inside, input: pipedText(before) } : inside);
      if (node.type === "Pipeline" && isCommand(child)) before = child;
    });
  }

  /** Where the children of a node stand. */
  #inside(node: SyntaxNode, place: Place): Place {
    const inside = { ...place, level: place.level + 1 };
    switch (node.type) {
      case "Script":
        return { ...inside, source: this.#script(node, place.source) };
      case "Redirected":
        return { ...inside, input: inputOf(node.redirects, place.input) };
      case "Command":
        this.#command(node, place);
        return inside;
      case "ArithmeticCommand":
        this.#subshells(node.body, place);
        return inside;
      default:
        return inside;
    }
  }

  /** For `/bin/sh`, which is no bash everywhere, `((curl x))` is a command in two subshells. What is no such command is no fault. */
  #subshells(body: string, place: Place): void {
    const script = place.in_subshells ? undefined : parse(body);
    if (script && !script.errors) this.#visit(script, { ...place, source: body, in_subshells: true });
  }

  #script({ errors, source: own }: ParsedScript, around: string): string {
    const source = own ?? around;
    const [error] = errors ?? [];
    if (error) {
      const rest = source.slice(error.pos, error.pos + 30).split("\n")[0] ?? "";
      this.fault(`${error.message} ${rest === "" ? "at the end of a line" : `at \`${rest}\``}`);
    }
    return source;
  }

  #command({ name, prefix, suffix }: Pick<Command, "name" | "prefix" | "suffix">, place: Place): void {
    const parts = [...(name ? [name] : []), ...suffix];
    const textOf = (part: CommandPart) =>
      isRedirection(part) ? redirectionText(part, place.source) : wordOf(part).raw;
    const words = parts.filter((part) => !isRedirection(part)).map(wordOf);
    const redirections = [...prefix, ...suffix].filter(isRedirection);
    if (words[0]?.name === null) this.fault(unknownName(words[0]));
    this.commands.push({
      written: [...prefix, ...parts].map(textOf).join(" "),
      raw: name ? parts.map(textOf).join(" ") : "",
      words,
      redirections: redirections.map(textOf),
      input: inputOf(redirections, place.input),
    });
    this.#behindBackground(suffix, place);
  }

  /** For `/bin/sh`, which is no bash everywhere, `true &>log curl x` is `true &` and then `>log curl x`. */
  #behindBackground(suffix: Command["suffix"], place: Place): void {
    const sign = suffix.findIndex((part) => part.type === "Redirect" && part.operator.startsWith("&>"));
    const rest = sign === -1 ? [] : suffix.slice(sign + 1);
    const [name, ...others] = rest.filter((part) => !isRedirection(part));
    if (name?.type === "Word") this.#command({ name, prefix: rest.filter(isRedirection), suffix: others }, place);
  }
}

/** @param source what its positions count in */
function redirectionText(redirection: Redirection, source: string): string {
  const { pos, end } = redirection;
  if (redirection.type === "HereDoc" || redirection.target === undefined) return source.slice(pos, end);
  return source.slice(pos, redirection.target.pos) + shellWord(redirection.target).raw;
}

type CommandPart = Word | Command["prefix"][number] | Command["suffix"][number];

const isRedirection = (part: CommandPart): part is Redirection => part.type !== "Word" && part.type !== "Assignment";

const wordOf = (part: Word | Assignment): ShellWord => (part.type === "Word" ? shellWord(part) : assignmentWord(part));

/** `A=1` as an argument. It names no command. */
function assignmentWord({ text, pos, value }: Assignment): ShellWord {
  const start = text.slice(0, value.pos - pos);
  const words = value.type === "Word" ? [shellWord(value)] : value.elements.map(shellWord);
  const [open, close] = value.type === "Word" ? ["", ""] : ["(", ")"];
  const whole = (texts: readonly string[]) => start + open + texts.join(" ") + close;
  const plain = whole(words.map((word) => word.plain));
  return { raw: whole(words.map(({ raw }) => raw)), plain, name: plain };
}

/** A part of a pipeline, and not a prefix such as `time`. */
const isCommand = (node: SyntaxNode): node is Exclude<PipelineNode, { type: "Pipeline" }> =>
  node.type !== "Time" && node.type !== "Negation";

/** The text that redirections put on standard input, or else `before`. A file counts as empty, because it is never read. */
function inputOf(redirections: readonly Redirection[], before: string | null | undefined) {
  const last = redirections.findLast(isInput);
  switch (last?.type) {
    case undefined:
      return before;
    case "HereDoc":
      return hereText(last);
    case "HereString":
      return last.target ? shellWord(last.target).plain : "";
    case "Redirect":
      return last.target?.parts?.some(({ type }) => type === "ProcessSubstitution") ? null : "";
  }
}

/** What a command of a pipeline passes to the next one; null when it is known only at run time. */
function pipedText(node: PipelineNode): string | null {
  if (node.type !== "Command" || node.args.some(({ type }) => type !== "Word")) return null;
  const words = node.args.map((word) => (word.type === "Word" ? shellWord(word).plain : ""));
  switch (node.name?.value) {
    case "cat":
      return words.every((word) => word === "-") ? inputOf(node.redirects, null) || null : null;
    case "echo":
    case "printf":
      return words
        .filter((word, index) => index > 0 || !/^-[neE]+$/.test(word))
        .join(" ")
        .replaceAll("\\n", "\n");
    default:
      return null;
  }
}

/** The body as its reader gets it, with variables by name and `$()` for substitutions. */
function hereText({ body, delimiter }: HereDoc): string {
  if (body.parts) return wordText(body.parts);
  return delimiter?.quoted ? body.text : body.text.replace(/\\(?:\n|([$`\\]))/g, "$1");
}

const isInput = ({ type, operator, descriptor }: Redirection): boolean =>
  (type !== "Redirect" || operator.startsWith("<")) &&
  (descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value === 0));
