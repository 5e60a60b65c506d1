import { excerpt } from "../../domain/excerpt.ts";
import { oneLine } from "./decision-log.ts";

/** A call as its arm made it: parsed, or the text that was no JSON. */
interface Called {
  readonly name: string;
  readonly input: unknown;
  readonly unparsed?: string;
}

interface CallEnd {
  readonly text: string;
  readonly ok: boolean;
  readonly exit_code: number | null;
}

/** A call as decisions tell it. It holds on to nothing of the call itself, which may have megabytes. */
export interface ToldCall {
  readonly name: string;
  /** The command, the path or the pattern, in one line. */
  readonly about: string;
  /** JSON, cut. */
  readonly input: string;
}

export const toldCall = ({ name, input, unparsed }: Called): ToldCall => ({
  name,
  about: copied(oneLine(aboutOf(input), ABOUT_CHARS)),
  input: copied(excerpt(unparsed ?? JSON.stringify(input) ?? "")),
});

/** What was called with what, and how it ended, in one line. */
export const callSummary = ({ name, about }: Pick<ToldCall, "name" | "about">, end: CallEnd): string =>
  `${name} ${about}${ending(end)}`;

/** A part of a text keeps the whole text in memory. */
const copied = (text: string): string => Buffer.from(text).toString();

/** Characters of a command or path in a summary. They leave room for how it ended. */
const ABOUT_CHARS = 90;
const REASON_CHARS = 50;

/** The command, path or pattern that a summary shows. The call may fit no tool. */
function aboutOf(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const { command, path, pattern } = input as { command?: unknown; path?: unknown; pattern?: unknown };
  return [command, path, pattern].find((value): value is string => typeof value === "string") ?? "";
}

function ending({ ok, exit_code, text }: CallEnd): string {
  if (exit_code !== null) return ` → exit ${exit_code}`;
  if (ok) return "";
  // A tool says what was wrong in its first line, a command that was stopped in its last.
  const said = text.trim();
  const last = said.slice(said.lastIndexOf("\n") + 1);
  return ` → ${oneLine(last.startsWith("[") ? last : (said.split("\n", 1)[0] ?? ""), REASON_CHARS)}`;
}
