import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { errorCode, Failure, wordsOf } from "../../domain/failure.ts";
import type { Clock } from "../../runtime/clock.ts";
import { jsonPieces } from "../../runtime/json-pieces.ts";
import { Pace } from "../../runtime/pace.ts";
import type { Fetch, Recording } from "../model/provider-call.ts";
import { askedWait } from "../model/provider-reply.ts";
import type { Redact } from "../model/redaction.ts";
import { type Exchange, type Header, MAX_LINE_BYTES, MAX_RECORDING_BYTES, type PartLine } from "./lines.ts";
import { type Asked, readAsked } from "./matching/asked.ts";
import { type Normalise, redactedByLines } from "./matching/normalise.ts";
import { BODILESS } from "./replayer.ts";

interface RecorderOptions {
  readonly path: string;
  readonly header: Header;
  readonly clock: Clock;
  readonly redact: Redact;
  readonly normalise: Normalise;
}

/**
 * Passes on what a fetch does, and writes each exchange before the last byte of its reply is passed on. What cannot be
 * written ends the recording and nothing else.
 */
export class Recorder implements Recording {
  readonly replayed = false;
  readonly #options: RecorderOptions;
  readonly #stored = new Set<string>();
  #file: FileHandle | undefined;
  #bytes = 0;
  /** Bytes of replies, also of those that are still coming. */
  #copied = 0;
  #exchanges = 0;
  readonly #pace = new Pace();
  /** Settles with the last write: lines are written whole and in order. */
  #written: Promise<void> = Promise.resolve();
  #fault: string | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  get path(): string {
    return this.#options.path;
  }

  /** Why the recording is not whole; undefined: it is. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Makes the file. @throws Failure `invalid_request` when it is there already, `storage_failed` */
  async begin(): Promise<void> {
    const { path, header } = this.#options;
    try {
      this.#file = await open(
        path,
        constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND,
        0o600,
      );
      await this.#append([header]);
    } catch (error) {
      throw cannotRecord(path, error);
    }
  }

  /** Stops recording. */
  async end(): Promise<void> {
    await this.#written;
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  fetch(send: Fetch): Fetch {
    const { clock, normalise } = this.#options;
    return async (input, init) => {
      const { asked, call } = await readAsked(input, init, normalise);
      const began = clock.ticks();
      const reply = await send(...call);
      if (reply.status < 200 || reply.status > 599) return reply;
      const told = { asked, reply, began };
      if (reply.body === null || BODILESS.has(reply.status)) {
        await this.#write(told, []);
        return reply;
      }
      const { status, statusText, headers } = reply;
      return new Response(reply.body.pipeThrough(this.#copying(told)), { status, statusText, headers });
    };
  }

  #copying(told: Told): TransformStream<Uint8Array, Uint8Array> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    return new TransformStream({
      transform: (chunk, passed) => {
        bytes += chunk.byteLength;
        this.#copied += chunk.byteLength;
        if (this.#copied > MAX_RECORDING_BYTES) this.#stop(tooLarge().message);
        if (bytes > MAX_LINE_BYTES || this.#fault !== undefined) chunks.length = 0;
        else chunks.push(chunk);
        passed.enqueue(chunk);
      },
      flush: () => (bytes > MAX_LINE_BYTES ? this.#stop("a reply is too large") : this.#write(told, chunks)),
    });
  }

  #write({ asked, reply, began }: Told, chunks: readonly Uint8Array[]): Promise<void> {
    const { clock } = this.#options;
    const ms = Math.max(0, Math.round(clock.ticks() - began));
    const wait_ms = askedWait(reply.headers, clock);
    const should_retry = reply.headers.get("x-should-retry");
    this.#exchanges += 1;
    const exchange: Bodiless = {
      ...{ n: this.#exchanges, method: asked.method, path: asked.path, key: asked.key },
      parts: asked.parts.map(([place, hash]) => [place, hash]),
      ...{ status: reply.status, type: reply.headers.get("content-type") ?? "", ms },
      ...(wait_ms !== undefined && { retry_after_ms: wait_ms }),
      ...((should_retry === "true" || should_retry === "false") && { should_retry }),
    };
    this.#written = this.#written.then(() => this.#keep(asked, exchange, chunks));
    return this.#written;
  }

  async #keep({ texts }: Asked, exchange: Bodiless, chunks: readonly Uint8Array[]): Promise<void> {
    if (this.#fault !== undefined || this.#file === undefined) return;
    const parts = [...texts].filter(([hash]) => !this.#stored.has(hash)).map(([part, text]) => ({ part, text }));
    try {
      const body = await redactedByLines(await decoded(chunks, this.#pace), this.#options.redact, this.#pace);
      await this.#append([...parts, { ...exchange, body }]);
      for (const { part } of parts) this.#stored.add(part);
    } catch (error) {
      this.#stop(faultOf(error));
    }
  }

  async #append(values: readonly (Header | PartLine | Exchange)[]): Promise<void> {
    const written = await writtenLines(values, this.#pace);
    this.#bytes += written.reduce((sum, { length }) => sum + length, 0);
    if (this.#bytes > MAX_RECORDING_BYTES) throw tooLarge();
    for (const piece of written) await this.#file?.appendFile(piece);
  }

  /** What is there stays, and can be replayed so far. */
  #stop(why: string): void {
    this.#fault ??= why;
  }
}

type Bodiless = Omit<Exchange, "body">;

async function decoded(chunks: readonly Uint8Array[], pace: Pace): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    await pace.bytes(chunk.byteLength);
  }
  return text + decoder.decode();
}

interface Told {
  readonly asked: Asked;
  readonly reply: Response;
  /** Monotonic milliseconds. */
  readonly began: number;
}

/** An error's words without the path, which is named beside them. */
function faultOf(error: unknown): string {
  const code = errorCode(error);
  if (code === "ENOSPC" || code === "EDQUOT") return "no space is left on its disk";
  return code || wordsOf(error);
}

export function cannotRecord(path: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (errorCode(error) === "EEXIST")
    return new Failure("invalid_request", `${path} exists already; record into another directory, or remove it`);
  const code = errorCode(error) === "ENOSPC" || errorCode(error) === "EDQUOT" ? "storage_full" : "storage_failed";
  return new Failure(code, `${path} cannot be recorded: ${faultOf(error)}`, { cause: error });
}

const STEP_CHARS = 512 * 1024;

/** The values as lines of a recording. @throws Error for a line that is too long. */
async function writtenLines(values: readonly (Header | PartLine | Exchange)[], pace: Pace): Promise<Buffer[]> {
  const written: Buffer[] = [];
  let waiting = "";
  for (const value of values) {
    let bytes = 0;
    for (const piece of jsonOf(value)) {
      bytes += Buffer.byteLength(piece);
      if (bytes > MAX_LINE_BYTES) throw tooLarge();
      waiting += piece;
      if (waiting.length < STEP_CHARS) continue;
      written.push(Buffer.from(waiting));
      waiting = "";
      await pace.bytes(JSON_COST * STEP_CHARS);
    }
  }
  return [...written, Buffer.from(waiting)];
}

/** Bytes that are compared in the time in which a character is written as JSON. */
const JSON_COST = 4;

const tooLarge = () => new Error("it is too large");

/** What can be long is the last field of each line. */
function* jsonOf(value: object): Generator<string> {
  const [name, long] = Object.entries(value).at(-1) ?? [];
  if (name === undefined || typeof long !== "string") return yield `${JSON.stringify(value)}\n`;
  yield JSON.stringify({ ...value, [name]: "" }).slice(0, -3);
  yield* jsonPieces(long);
  yield "}\n";
}
