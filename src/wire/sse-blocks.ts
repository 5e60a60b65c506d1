import { GrownBytes } from "./grown-bytes.ts";

/** One event of a stream with the bytes in which it came, the empty line behind it included. */
export interface SseBlock {
  readonly bytes: Uint8Array;
  /** Undefined for a comment, and for what has no data. */
  readonly data: string | undefined;
  readonly event: string | undefined;
}

const LF = 0x0a;
const CR = 0x0d;

/**
 * Cuts a stream of server-sent events into its events, in whatever pieces it comes. No byte is lost or changed.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class SseBlocks {
  readonly #max_bytes: number;
  readonly #kept = new GrownBytes();
  #too_large = false;
  #line_is_empty = true;
  #after_cr = false;

  constructor(max_bytes: number) {
    this.#max_bytes = max_bytes;
  }

  /** There was an event larger than allowed. Nothing more comes out. */
  get isTooLarge(): boolean {
    return this.#too_large;
  }

  /** The events that end in this piece. */
  push(chunk: Uint8Array): SseBlock[] {
    const blocks: SseBlock[] = [];
    if (this.#too_large) return blocks;
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      if (!this.#endsEvent(chunk[at])) continue;
      // The other half of the line's end belongs to it.
      const end = chunk[at] === CR && chunk[at + 1] === LF ? at + 2 : at + 1;
      this.#kept.add(chunk.subarray(start, end));
      blocks.push(...this.end());
      start = end;
    }
    this.#kept.add(chunk.subarray(start));
    this.#too_large = this.#kept.length > this.#max_bytes;
    if (this.#too_large) this.#kept.take();
    return blocks;
  }

  /** Whether this byte ends an empty line. */
  #endsEvent(byte: number | undefined): boolean {
    const endsLine = byte === CR || (byte === LF && !this.#after_cr);
    const endsEvent = endsLine && this.#line_is_empty;
    if (endsLine) this.#line_is_empty = true;
    else if (byte !== LF) this.#line_is_empty = false;
    this.#after_cr = byte === CR;
    return endsEvent;
  }

  /** What is left: nothing, or an event without its end. */
  end(): SseBlock[] {
    const bytes = this.#kept.take();
    return bytes.length === 0 ? [] : [{ bytes, ...readLines(bytes) }];
  }
}

const decoder = new TextDecoder();

function readLines(bytes: Uint8Array): Pick<SseBlock, "data" | "event"> {
  const lines = decoder.decode(bytes).split(/\r\n|\n|\r/);
  const data = lines.flatMap((line) => fieldIn(line, "data"));
  return {
    data: data.length === 0 ? undefined : data.join("\n"),
    event: lines.flatMap((line) => fieldIn(line, "event")).at(-1),
  };
}

function fieldIn(line: string, name: string): string[] {
  if (line === name) return [""];
  return line.startsWith(`${name}:`) ? [line.slice(name.length + 1).replace(/^ /, "")] : [];
}

/** An event as bytes. */
export const sseBytes = (event: string | undefined, data: string): Uint8Array =>
  Buffer.from(`${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`);
