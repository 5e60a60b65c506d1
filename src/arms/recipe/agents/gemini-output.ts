import type { UnwrappedOutput } from "../recipe.ts";
import { belowHeader, exitCodeAt, withoutMarks } from "../unwrap-output.ts";

/** Names of the lines around what a shell command printed, before it and after it. */
const BEFORE = ["Command:", "Directory:"];
const AFTER = ["Error:", "Exit Code:", "Signal:", "Background PIDs:", "Process Group PGID:"];

/** Gemini CLI and what was made from it report a shell command alike. */
export function geminiOutput(_tool: string, output: string): UnwrappedOutput {
  const text = withoutMarks(output, "untrusted_context").trim();
  const found = belowHeader(text, BEFORE);
  if (found === null) return { output: text, exit_code: null };
  const { body, values } = withoutFooter(found.body);
  const told = values.get("Exit Code:");
  return { output: body === "(empty)" ? "" : body, exit_code: told === undefined ? null : exitCodeAt(told) };
}

/** The lines at the end that begin with these names go, and their values are kept. */
function withoutFooter(text: string): { readonly body: string; readonly values: ReadonlyMap<string, string> } {
  const values = new Map<string, string>();
  let end = text.length;
  for (let line = 0; line <= AFTER.length; line += 1) {
    const start = text.lastIndexOf("\n", end - 1) + 1;
    const name = AFTER.find((candidate) => text.startsWith(candidate, start));
    if (name === undefined || end <= 0) break;
    values.set(name, text.slice(start + name.length, end).trim());
    end = start - 1;
  }
  return { body: text.slice(0, Math.max(0, end)), values };
}
