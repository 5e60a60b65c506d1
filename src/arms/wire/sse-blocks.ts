import { isUtf8 } from "node:buffer";
import { GrownBytes } from "../../domain/grown-bytes.ts";

/** One event of a stream with the bytes in which it came, the empty line behind it included. */
export interface SseBlock {
  /** Perhaps a part of the piece in which it came. */
  readonly bytes: Uint8Array;
  /** Undefined for a comment, and for what has no data. */
  readonly data: string | undefined;
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
    for (let at = 0; at < chunk.length; at += 1) {
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
  const data: string[] = [];
  let event: string | undefined;
  let foreign = false;
  for (const line of decoder.decode(bytes).split(/\r\n|\n|\r/)) {
    const said = fieldIn(line, "data");
    if (said !== undefined) data.push(said);
    event = fieldIn(line, "event") ?? event;
    foreign ||= !FIELD.test(line);
  }
  return { data: data.length === 0 ? undefined : data.join("\n"), event, foreign };
}

const FIELD = /^(?:$|:|(?:data|event|id|retry)(?::|$))/;

function fieldIn(line: string, name: string): string | undefined {
  if (line === name) return "";
  return line.startsWith(`${name}:`) ? line.slice(name.length + 1).replace(/^ /, "") : undefined;
}

/** An event as bytes. */
export const sseBytes = (event: string | undefined, data: string): Uint8Array =>
  Buffer.from(`${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`);
