import { CALL_TIMEOUT_MS } from "../../domain/defaults.ts";
import { type Clock, startTimer } from "../../runtime/clock.ts";
import { TryFailed } from "./failed-try.ts";
import { readBounded } from "./provider-reply.ts";

/** An answer of which a first byte has come. */
export interface ReplyStream {
  readonly status: number;
  readonly headers: Headers;
  /** @throws TryFailed when it breaks off */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Milliseconds that it took when it was recorded; undefined for a live one. */
  readonly recorded_ms?: number | undefined;
}

/** Fires when nothing has come for as long as one call may take. */
export class SilenceWatch {
  readonly #fired = new AbortController();
  readonly #clock: Clock;
  #timer: Disposable | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.heard();
  }

  get signal(): AbortSignal {
    return this.#fired.signal;
  }

  heard(): void {
    this.end();
    const fire = () => this.#fired.abort(new TryFailed({ kind: "timeout" }));
    this.#timer = startTimer(this.#clock, CALL_TIMEOUT_MS, fire);
  }

  end(): void {
    this.#timer?.[Symbol.dispose]();
  }
}

/**
 * Waits for the first byte of a stream, or for all of another reply: until then a broken connection can be mended by another
 * try. @throws TryFailed
 */
export async function begun(reply: Response, silence: SilenceWatch): Promise<ReplyStream> {
  const { status, headers, body } = reply;
  if (!/^\s*text\/event-stream/i.test(headers.get("content-type") ?? "")) {
    const whole = await readBounded(reply);
    silence.end();
    return { status, headers, chunks: once(whole) };
  }
  const reader = body?.getReader();
  const broken = (cause: unknown) => new TryFailed({ kind: "broken_off", status, cause });
  if (reader === undefined) throw broken(undefined);
  const next = async () => {
    try {
      const read = await reader.read();
      silence.heard();
      return read;
    } catch (error) {
      throw silence.signal.aborted ? silence.signal.reason : broken(error);
    }
  };
  const first = await next();
  if (first.done) throw broken(undefined);
  async function* chunks() {
    try {
      for (let read = first; !read.done; read = await next()) yield read.value;
    } finally {
      silence.end();
      await reader?.cancel().catch(() => undefined);
    }
  }
  return { status, headers, chunks: chunks() };
}

async function* once(bytes: Uint8Array) {
  yield bytes;
}
