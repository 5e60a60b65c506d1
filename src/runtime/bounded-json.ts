import { isUtf8 } from "node:buffer";

/** How much of a JSON text is read. */
export interface JsonLimits {
  readonly bytes: number;
  /** Every value counts: texts, numbers, lists and objects. An empty list or object counts as two. */
  readonly values: number;
  /** The most levels of nesting; `JSON_LEVELS` when absent. */
  readonly levels?: number;
  /** The most escaped characters; `JSON_ESCAPES` when absent. */
  readonly escapes?: number;
}

/** What a text says, or why it is not read: a noun phrase with the size and the limit, as in "100001 values, at most 100000 are read". */
export type BoundedJson = { readonly value: unknown; readonly values: number } | { readonly fault: string };

export const NO_JSON = "no valid JSON";

/** Such bytes are never decoded: to replace each that is wrong takes half a second for 10 MB. */
export const NO_UTF8 = "no valid UTF-8";

/** Tells the fault of a text that is within the limits. */
export const isMalformed = (fault: string): boolean => fault === NO_JSON || fault === NO_UTF8;

/** Levels of nesting. What people and models write has a few; many more would overflow the stack of whoever walks over it. */
const JSON_LEVELS = 200;

/** `\n` and its like, each of which costs a parser as much as twenty plain characters. A text of 10 MB has some 300,000. */
const JSON_ESCAPES = 1_000_000;

/**
 * Reads JSON that nobody vouches for. One linear pass counts what a parser would have to build, before a parser sees it, so
 * that 8 MiB within 100,000 values are read in less than 50 ms on a small machine. Never throws.
 */
export function readBoundedJson(text: Uint8Array, limits: JsonLimits): BoundedJson {
  const steps = boundedJsonInSteps(text, limits);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/**
 * As `readBoundedJson`, for megabytes: each step takes some ten milliseconds at most for 8 MiB. Yields what a step cost, in units of
 * `Pace`. The text may not change meanwhile.
 */
export function* boundedJsonInSteps(text: Uint8Array, limits: JsonLimits): Generator<number, BoundedJson> {
  if (text.length > limits.bytes || !isUtf8(text)) return unread(text, limits);
  const size = new JsonSize();
  for (let at = 0; at < text.length; at += SLICE_BYTES) {
    if (at > 0) yield SLICE_UNITS;
    size.add(text.subarray(at, at + SLICE_BYTES));
  }
  const fault = faultOf(size, limits);
  if (fault !== undefined) return fault;
  const chars = decoder.decode(text);
  if (text.length > SLICE_BYTES) yield text.length / DECODED_BYTES;
  try {
    return { value: JSON.parse(chars), values: size.values };
  } catch {
    return { fault: NO_JSON };
  }
}

/** Counting these takes a few milliseconds, even before the program is warm. */
const SLICE_BYTES = 256 * 1024;
const SLICE_UNITS = 130;

/** Bytes that are decoded in the time of one unit. */
const DECODED_BYTES = 5_000;

const unread = ({ length }: Uint8Array, { bytes }: JsonLimits): BoundedJson =>
  length > bytes ? beyond(length, bytes, "bytes") : { fault: NO_UTF8 };

function faultOf({ values, escapes, levels }: JsonSize, limits: JsonLimits): { fault: string } | undefined {
  if (values > limits.values) return beyond(values, limits.values, "values");
  const deepest = limits.levels ?? JSON_LEVELS;
  if (levels > deepest) return beyond(levels, deepest, "levels of nesting");
  const most = limits.escapes ?? JSON_ESCAPES;
  return escapes > most ? beyond(escapes, most, "escaped characters") : undefined;
}

const decoder = new TextDecoder();

const beyond = (seen: number, limit: number, what: string) => ({ fault: `${seen} ${what}, at most ${limit} are read` });

/** The counts are exact for JSON. For another text they mean nothing, and the parser refuses it at its first fault. */
class JsonSize {
  values = 1;
  levels = 0;
  #level = 0;
  readonly #quoted = new QuotedText();

  get escapes(): number {
    return this.#quoted.escapes;
  }

  add(text: Uint8Array): void {
    const quoted = this.#quoted;
    let { values, levels } = this;
    let level = this.#level;
    for (let at = quoted.goOn(text); at < text.length; at += 1) {
      const byte = text[at] ?? 0;
      if (byte === QUOTE) at = quoted.end(text, at + 1);
      else {
        values += VALUES[byte] ?? 0;
        level += LEVELS[byte] ?? 0;
        levels = Math.max(levels, level);
      }
    }
    this.values = values;
    this.levels = levels;
    this.#level = level;
  }
}

/** Finds the ends of what stands in quotes. */
class QuotedText {
  escapes = 0;
  /** Undefined between two; else how much of the next piece belongs to an escape. */
  open: number | undefined = undefined;
  /** The next mark of each kind, as far as it was looked for: each byte is searched once. */
  escape = -1;
  quote = -1;

  /** Where the first one ends that began in the piece before. */
  goOn(text: Uint8Array): number {
    this.escape = -1;
    this.quote = -1;
    return this.open === undefined ? 0 : this.end(text, this.open) + 1;
  }

  /** The place of its closing quote, or one beyond the piece. */
  end(text: Uint8Array, from: number): number {
    const { length } = text;
    let short = from + SHORT_BYTES;
    for (let at = from; ; at += 1) {
      if (at > short) {
        at = this.next(text, at);
        short = at + SHORT_BYTES;
      }
      if (at >= length) {
        this.open = at - length;
        return at;
      }
      const byte = text[at];
      if (byte === BACKSLASH) {
        this.escapes += 1;
        at += 1;
      } else if (byte === QUOTE) {
        this.open = undefined;
        return at;
      }
    }
  }

  next(text: Uint8Array, from: number): number {
    if (this.escape < from) this.escape = placeOf(text, BACKSLASH, from);
    if (this.quote < from) this.quote = placeOf(text, QUOTE, from);
    return Math.min(this.escape, this.quote);
  }
}

/** So far each byte is looked at: the engine finds the end of a long text in a tenth of the time, and takes a while to begin. */
const SHORT_BYTES = 64;

function placeOf(text: Uint8Array, byte: number, from: number): number {
  const at = text.indexOf(byte, from);
  return at === -1 ? text.length : at;
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** What each byte adds to the count of values, and to the level. */
const VALUES = new Uint8Array(256);
const LEVELS = new Int8Array(256);
for (const opening of "[{") LEVELS[opening.charCodeAt(0)] = 1;
for (const closing of "]}") LEVELS[closing.charCodeAt(0)] = -1;
for (const one of ",[{") VALUES[one.charCodeAt(0)] = 1;
