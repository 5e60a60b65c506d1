import type { ModelReply, ToolCall } from "../../model/client.ts";
import { ANSWER_TOOL } from "./judgement.ts";

/** Opening braces without an end that are tried before the text counts as having no answer. */
const UNCLOSED = 64;

/**
 * Every object in which a judge may have answered: calls of the answer tool, else JSON objects in the text. Repairs are
 * mechanical only: text around an object and trailing commas go, no key is renamed and no value changed.
 */
export function findAnswers(reply: ModelReply): unknown[] {
  const called = reply.calls.filter(({ name }) => name === ANSWER_TOOL).flatMap(callInput);
  return called.length > 0 ? called : objectsIn(reply.text);
}

function callInput({ input, unparsed }: ToolCall): unknown[] {
  const text = unparsed ?? (typeof input === "string" ? input : undefined);
  if (text !== undefined) return objectsIn(text);
  return typeof input === "object" && input !== null ? [input] : [];
}

/** Outermost JSON objects, in order. */
function objectsIn(text: string): unknown[] {
  const found: unknown[] = [];
  let start = text.indexOf("{");
  for (let unclosed = 0; start !== -1 && unclosed < UNCLOSED; ) {
    const end = closingBrace(text, start);
    const value = end === -1 ? undefined : parse(text.slice(start, end + 1));
    if (value !== undefined) found.push(value);
    if (end === -1) unclosed += 1;
    start = text.indexOf("{", (end === -1 ? start : end) + 1);
  }
  return found;
}

/** Index of the brace that closes the one at `start`; braces in strings do not count. */
function closingBrace(text: string, start: number): number {
  const tokens = /"(?:[^"\\]|\\.)*"|[{}]/gs;
  tokens.lastIndex = start;
  let depth = 0;
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    if (token[0] === "{") depth += 1;
    else if (token[0] === "}") depth -= 1;
    if (depth === 0) return token.index;
  }
  return -1;
}

function parse(text: string): unknown {
  for (const candidate of [text, withoutTrailingCommas(text)]) {
    try {
      return JSON.parse(candidate);
    } catch {
      // Not JSON as it stands; the next candidate, or no answer.
    }
  }
  return undefined;
}

const withoutTrailingCommas = (text: string) =>
  text.replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/gs, (_, quoted: string | undefined) => quoted ?? "");
