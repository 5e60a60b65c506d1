import { excerpt } from "../domain/excerpt.ts";
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

/** What was called with what, and how it ended, in one line. */
export const callSummary = ({ name, input }: Called, end: CallEnd): string =>
  `${name} ${oneLine(aboutOf(input), ABOUT_CHARS)}${ending(end)}`;

/** JSON, cut. */
export const inputText = ({ unparsed, input }: Called): string => excerpt(unparsed ?? JSON.stringify(input) ?? "");

/** Characters of a command or path in a summary. They leave room for how it ended. */
const ABOUT_CHARS = 90;
const REASON_CHARS = 50;

/** For a summary: the command, the path or the pattern. The call may fit no tool. */
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
