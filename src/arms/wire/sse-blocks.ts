import { isUtf8 } from "node:buffer";
import { GrownBytes } from "../../runtime/grown-bytes.ts";

/** One event of a stream with the bytes in which it came, the empty line behind it included. */
export interface SseBlock {
  /** Perhaps a part of the piece in which it came. */
  readonly bytes: Uint8Array;
  /** Undefined for a comment, and for what has no data. A part of `bytes` where it can be: an event may have megabytes. */
  readonly data: Buffer | undefined;
  readonly event: string | undefined;
  /** It has a line that no stream of events has. Clients of streams pass over it; others may find a reply in it. */
  readonly foreign: boolean;
}

const LF = 0x0a;
const CR = 0x0d;

/** The lines of one event. Providers write one or two, and a JSON over several lines has as many as it has values. */
const MAX_LINES = 100_000;

/** The bytes of one event that is no valid UTF-8, where each wrong byte has to be replaced. Some servers cut a character in two. */
const MAX_WRONG_BYTES = 1024 * 1024;

/**
 * Cuts a stream of server-sent events into its events, in whatever pieces it comes. No byte is lost or changed.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class SseBlocks {
  readonly #max_bytes: number;
  readonly #kept = new GrownBytes();
  #too_large = false;
  #lines = 0;
  #line_is_empty = true;
  #after_cr = false;
  #ended_by_cr = false;

  constructor(max_bytes: number) {
    this.#max_bytes = max_bytes;
  }

  /** There was an event larger than allowed. Nothing more comes out. */
  get isTooLarge(): boolean {
    return this.#too_large;
  }

  /** Bytes of an event that has not ended. */
  get kept_bytes(): number {
    return this.#kept.length;
  }

  /** The events that end in this piece. One that ends with a CR waits for the next byte, which may be the LF to it. */
  *push(chunk: Uint8Array): Generator<SseBlock> {
    if (this.#too_large) return;
    let start = 0;
    for (let at = this.#toRead(chunk, 0); at < chunk.length; at = this.#toRead(chunk, at + 1)) {
      const ended = this.#endOfEvent(chunk[at]);
      if (ended === null) continue;
      const end = ended === "with" ? at + 1 : at;
      yield* this.#ended(chunk.subarray(start, end));
      if (this.#too_large) return;
      start = end;
    }
    this.#kept.add(chunk.subarray(start));
    this.#too_large = this.#kept.length > this.#max_bytes || this.#lines > MAX_LINES;
    if (this.#too_large) this.drop();
  }

  /** The first byte from there on that changes anything: inside a line its end. */
  #toRead(chunk: Uint8Array, from: number): number {
    let at = from;
    if (!this.#line_is_empty) while (at < chunk.length && (chunk[at] ?? 0) > CR) at += 1;
    return at;
  }

  /** Whether an event ends with this byte, or ended before it. */
  #endOfEvent(byte: number | undefined): "with" | "before" | null {
    const waited = this.#ended_by_cr;
    const isSecondHalf = byte === LF && this.#after_cr;
    const endsLine = byte === CR || byte === LF;
    const endsEvent = endsLine && !isSecondHalf && this.#line_is_empty;
    if (endsLine) this.#lines += 1;
    this.#line_is_empty = endsLine;
    this.#after_cr = byte === CR;
    this.#ended_by_cr = endsEvent && byte === CR;
    if (waited) return isSecondHalf ? "with" : "before";
    return endsEvent && byte === LF ? "with" : null;
  }

  /** Keeps nothing of an event that has not ended. */
  drop(): void {
    this.#kept.drop();
  }

  /** Most events come whole, and are not copied. */
  #ended(last: Uint8Array): SseBlock[] {
    if (this.#kept.length === 0) return this.#blockOf(last);
    this.#kept.add(last);
    return this.end();
  }

  /** What is left: nothing, or an event without its end. */
  end(): SseBlock[] {
    return this.#blockOf(this.#kept.take());
  }

  #blockOf(bytes: Uint8Array): SseBlock[] {
    this.#lines = 0;
    this.#too_large ||= bytes.length > MAX_WRONG_BYTES && !isUtf8(bytes);
    if (this.#too_large) return [];
    return bytes.length === 0 ? [] : [{ bytes, ...readLines(bytes) }];
  }
}

const decoder = new TextDecoder();

/** What is written in the bytes of one event. */
function readLines(bytes: Uint8Array): Omit<SseBlock, "bytes"> {
  const text = readable(bytes);
  const data: Range[] = [];
  let event: string | undefined;
  let foreign = false;
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    end = endOfLine(text, start);
    const name = fieldAt(text, start, end);
    if (name === "data") data.push(valueIn(text, start + name.length, end));
    else if (name === "event") event = decoder.decode(text.subarray(...valueIn(text, start + name.length, end)));
    else foreign ||= name === undefined;
  }
  return { data: joined(text, data), event, foreign };
}

type Range = readonly [from: number, end: number];

/** Bytes that say the same as a client reads, who replaces what is wrong. */
function readable(bytes: Uint8Array): Buffer {
  if (bytes[0] === BOM || !isUtf8(bytes)) return Buffer.from(decoder.decode(bytes));
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The first byte of the mark that a text may begin with. */
const BOM = 0xef;

function endOfLine(text: Buffer, start: number): number {
  for (let at = start; at < text.length; at += 1) if (text[at] === LF || text[at] === CR) return at;
  return text.length;
}

const FIELDS = ["data", "event", "id", "retry"].map((name) => ({ name, bytes: Buffer.from(name) }));

/** The name that a line begins with; nothing for a comment and an empty line, undefined for a line that is no field. */
function fieldAt(text: Buffer, start: number, end: number): string | undefined {
  if (start === end || text[start] === COLON) return "";
  return FIELDS.find(({ bytes }) => {
    const after = start + bytes.length;
    return (after === end || text[after] === COLON) && bytes.every((byte, at) => text[start + at] === byte);
  })?.name;
}

const COLON = 0x3a;

/** One space after the colon says nothing. */
function valueIn(text: Buffer, colon: number, end: number): Range {
  const from = text[colon + 1] === SPACE ? colon + 2 : colon + 1;
  return [Math.min(from, end), end];
}

const SPACE = 0x20;

/** The lines of an event's data as one. A single line is no copy. */
function joined(text: Buffer, lines: readonly Range[]): Buffer | undefined {
  if (lines.length < 2) return lines[0] && text.subarray(...lines[0]);
  const data = Buffer.alloc(text.length);
  let length = 0;
  for (const [from, end] of lines) length = data.writeUInt8(LF, length + text.copy(data, length, from, end));
  return data.subarray(0, length - 1);
}

export const sseBytes = (event: string | undefined, data: string): Uint8Array =>
  Buffer.from(`${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`);
