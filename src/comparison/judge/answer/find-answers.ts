import type { ModelReply, ToolCall } from "../../../arms/model/client.ts";
import { JUDGE_REPLY_CHARS } from "../../../domain/defaults.ts";
import { readBoundedJson } from "../../../runtime/bounded-json.ts";
import { ANSWER_TOOL } from "./judgement-schema.ts";

/**
 * Every object that can be the judge's answer: the input of calls of the answer tool, else JSON objects in the text. Text
 * around an object and trailing commas are removed; no key and no value is changed. Linear in the length.
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

/** A pair of braces that no other pair encloses. */
interface Span {
  readonly start: number;
  /** Behind the closing brace. */
  readonly end: number;
  /** Places of commas before a closing brace or bracket. */
  readonly commas: readonly number[];
}

/** Objects that are parsed, from the end of the text. A judge that thinks aloud gives its answer at the end. */
const OBJECTS = 100;

/** Outermost JSON objects, the last of them, in order. */
function objectsIn(text: string): unknown[] {
  return spansOf(text)
    .slice(-OBJECTS)
    .flatMap((span) => parse(text, span) ?? []);
}

function spansOf(text: string): Span[] {
  const braces = new Braces();
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"' && braces.open) at = endOfString(text, at);
    if (!BLANK.has(character)) braces.take(character, at);
  }
  return braces.spans();
}

const BLANK: ReadonlySet<string> = new Set([" ", "\t", "\n", "\r"]);

/** Index of the closing quote, or of the last character of the line: a string of JSON ends on its line. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') return at;
    if (character === "\n") break;
    if (character === "\\") at += 1;
  }
  return at - 1;
}

/** A brace that is never closed encloses nothing. What follows it counts all the same. */
class Braces {
  readonly #open: number[] = [];
  readonly #closed: Omit<Span, "commas">[] = [];
  /** Before a closing brace or bracket, ascending. */
  readonly #commas: number[] = [];
  /** A comma with only blanks behind it so far. */
  #comma: number | null = null;

  get open(): boolean {
    return this.#open.length > 0;
  }

  take(character: string, at: number): void {
    const closes = character === "}" || character === "]";
    if (closes && this.#comma !== null) this.#commas.push(this.#comma);
    this.#comma = character === "," ? at : null;
    if (character === "{") this.#open.push(at);
    if (character === "}") this.#close(at + 1);
  }

  #close(end: number): void {
    const start = this.#open.pop();
    if (start === undefined) return;
    while ((this.#closed.at(-1)?.start ?? -1) > start) this.#closed.pop();
    this.#closed.push({ start, end });
  }

  spans(): Span[] {
    return this.#closed.map(({ start, end }) => ({
      start,
      end,
      commas: this.#commas.slice(firstFrom(this.#commas, start), firstFrom(this.#commas, end)),
    }));
  }
}

/** Index of the first of these ascending places that is not before the wanted one. */
function firstFrom(places: readonly number[], wanted: number): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

const parse = (text: string, span: Span): unknown =>
  read(text.slice(span.start, span.end)) ?? (span.commas.length > 0 ? read(withoutCommas(text, span)) : undefined);

/** Values of an answer. One to a rubric of twenty criteria has a thousand. */
const LIMITS = { bytes: 4 * JUDGE_REPLY_CHARS, values: 10_000 };

function read(text: string): unknown {
  const json = readBoundedJson(Buffer.from(text), LIMITS);
  return "value" in json ? json.value : undefined;
}

function withoutCommas(text: string, { start, end, commas }: Span): string {
  const starts = [start, ...commas.map((comma) => comma + 1)];
  return starts.map((from, index) => text.slice(from, commas[index] ?? end)).join("");
}
