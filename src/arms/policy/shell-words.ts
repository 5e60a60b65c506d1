import type { Word, WordPart } from "unbash";

export interface ShellWord {
  /** As written; substitutions are replaced by `$()`. */
  readonly raw: string;
  /** The same without quotes and escapes. */
  readonly plain: string;
  /** The command that it names, without its directory; null when that is known only when it runs. */
  readonly name: string | null;
}

export function shellWord({ text, value, parts }: Word): ShellWord {
  if (parts === undefined) return { raw: joined(text), plain: value, name: baseName(value) };
  const texts = parts.map(partTexts);
  const plain = texts.map((part) => part.plain).join("");
  const name = baseName(texts.map((part) => part.named).join(""));
  return { raw: texts.map(({ raw }) => raw).join(""), plain, name: name.includes(UNKNOWN) ? null : name };
}

/** A word without its quotes and escapes, with variables by name and `$()` for substitutions. */
export const wordText = (parts: readonly WordPart[]): string => parts.map((part) => partTexts(part).plain).join("");

/** Stands for text that is known only when the line runs. No shell word can hold it. */
const UNKNOWN = "\0";

interface PartTexts {
  readonly raw: string;
  readonly plain: string;
  /** `plain` with `UNKNOWN` for what is expanded: `"$DIR/bin/python"` still names python. */
  readonly named: string;
}

function partTexts(part: WordPart): PartTexts {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return { raw: part.type === "Literal" ? joined(part.text) : part.text, plain: part.value, named: part.value };
    case "DoubleQuoted":
    case "LocaleString": {
      const inside = part.parts.map(partTexts);
      const whole = (text: keyof PartTexts) => inside.map((one) => one[text]).join("");
      return { raw: `"${whole("raw")}"`, plain: whole("plain"), named: whole("named") };
    }
    case "CommandExpansion":
    case "ProcessSubstitution":
      return { raw: "$()", plain: "$()", named: UNKNOWN };
    default:
      return { raw: part.text, plain: part.text, named: UNKNOWN };
  }
}

/** A backslash before a newline joins two lines. */
const joined = (text: string) => text.replaceAll("\\\n", "");

/** `/usr/bin/curl` is `curl`. */
const baseName = (path: string) => path.slice(path.lastIndexOf("/") + 1);
