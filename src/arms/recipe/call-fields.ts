import { posix } from "node:path";
import { WORKSPACE_AT } from "../../domain/mount-point.ts";
import type { ToolName } from "../../domain/tool.ts";

/** Names under which agents give the same thing, the usual ones first. */
const PATH = ["path", "file_path", "filePath", "filepath", "absolute_path", "notebook_path", "dir_path", "dirpath"];
const PATHS = ["paths", "files", "include", "file_paths"];
const COMMAND = ["command", "cmd", "script"];
/** Commands only where the tool is known to run some. */
const TYPED = ["chars", "input"];
const PATTERN = ["pattern", "query", "regex", "queries"];
const OLD = ["old", "old_string", "oldString", "oldText", "old_str", "old_text"];
const NEW = ["new", "new_string", "newString", "newText", "new_str", "new_text"];
const CONTENT = ["content", "contents", "file_text", "new_source", ...NEW];
const PATCH = ["patch", "patchText", "diff", "input"];

interface Edit {
  readonly old: string;
  readonly new: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** The input of an agent's call, read by what the fields mean. Absent and odd values are undefined. */
export class CallFields {
  /** The input as it came; a text is the field `input`. */
  readonly all: Fields;
  readonly #at: string;

  /** @param at where the workspace is mounted */
  constructor(input: unknown, at: string = WORKSPACE_AT) {
    this.#at = at;
    this.all = typeof input === "string" ? { input } : asFields(input);
  }

  /** What a shell is given. */
  command(): string | undefined {
    // All of them: nobody knows which one the agent runs.
    const told = [...this.#commands(), ...new CallFields(this.#first(["action"])).#commands()];
    if (told.length > 0) return told.join("\n");
    const commands = this.#first(["commands"]);
    const several = Array.isArray(commands) ? commands.map(asEntry("command")) : [];
    const texts = several.flatMap((entry) => textAt(entry, COMMAND));
    return texts.length > 0 ? texts.join("\n") : undefined;
  }

  #commands(): readonly string[] {
    return COMMAND.flatMap((name) => {
      const value = this.all[name];
      return isTexts(value) ? [commandLine(value)] : typeof value === "string" ? [value] : [];
    });
  }

  /** `command`, or else what is typed into a shell that runs, or the only text there is. */
  typed(): string | undefined {
    return this.command() ?? this.#text(TYPED) ?? Object.values(this.all).find((value) => typeof value === "string");
  }

  /** Relative to the workspace where they lie in it. */
  paths(): readonly string[] {
    const one = this.#text(PATH);
    if (one !== undefined) return [this.#relative(one)];
    const many = this.#first(PATHS);
    const listed: readonly unknown[] = Array.isArray(many) ? many : [];
    return listed.flatMap((entry) => textAt(asEntry("path")(entry), PATH)).map((path) => this.#relative(path));
  }

  pattern(): string | undefined {
    const value = this.#first(PATTERN);
    if (Array.isArray(value)) return value.filter((entry) => typeof entry === "string").join("\n");
    return typeof value === "string" ? value : undefined;
  }

  content(): string | undefined {
    return this.#text(CONTENT);
  }

  /** Texts and what takes their place. */
  edits(): readonly Edit[] {
    const edits = this.#first(["edits"]);
    return (Array.isArray(edits) ? edits : [this.all]).flatMap((edit) => {
      const [old] = textAt(edit, OLD);
      return old === undefined ? [] : [{ old, new: textAt(edit, NEW)[0] ?? "" }];
    });
  }

  patch(): string | undefined {
    return this.#text(PATCH);
  }

  /** The first file that a patch names, in either of the usual forms. */
  patchedPath(): string | undefined {
    const found = /^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ b\/)(.{1,1000})$/m.exec(this.patch() ?? "")?.[1];
    return found === undefined ? undefined : this.#relative(found.trim());
  }

  /** The tool that one call means, where one tool does everything, such as Anthropic's text editor. */
  editorCommand(): ToolName | undefined {
    const command = this.#first(["command"]);
    return typeof command === "string" && this.paths().length > 0 ? EDITOR_COMMANDS.get(command) : undefined;
  }

  #relative(path: string): string {
    const normal = posix.normalize(path);
    if (normal === this.#at) return ".";
    return normal.startsWith(`${this.#at}/`) ? normal.slice(this.#at.length + 1) : normal;
  }

  #first(names: readonly string[]): unknown {
    const name = names.find((candidate) => Object.hasOwn(this.all, candidate));
    return name === undefined ? undefined : this.all[name];
  }

  #text(names: readonly string[]): string | undefined {
    return textAt(this.all, names)[0];
  }
}

const EDITOR_COMMANDS: ReadonlyMap<string, ToolName> = new Map([
  ["view", "read_file"],
  ["create", "write_file"],
  ["str_replace", "edit_file"],
  ["insert", "edit_file"],
  ["undo_edit", "edit_file"],
]);

const asFields = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {}; // any object has fields

/** The first text under one of these names; empty when there is none. */
function textAt(value: unknown, names: readonly string[]): readonly string[] {
  const fields = asFields(value);
  const found = names.map((name) => (Object.hasOwn(fields, name) ? fields[name] : undefined));
  return found.filter((entry) => typeof entry === "string").slice(0, 1);
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === "string");

/** An entry of a list that is a map, or only its main text. */
const asEntry = (name: string) => (entry: unknown) => (typeof entry === "string" ? { [name]: entry } : entry);

const SHELL = /^(?:\/(?:usr\/)?bin\/)?(?:ba|z|da)?sh$/;

/** An argument vector as somebody would write it; of a shell, what it is given. */
function commandLine(words: readonly string[]): string {
  const [program = "", option = "", text] = words;
  if (text !== undefined && SHELL.test(program) && /^-[a-z]*c$/.test(option)) return text;
  return words.map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}
