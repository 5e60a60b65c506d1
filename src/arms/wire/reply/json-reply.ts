import { asRecords } from "../../../domain/lenient.ts";
import { GrownBytes } from "../../../runtime/grown-bytes.ts";
import {
  decideCalls,
  EVENT_LIMITS,
  type InSteps,
  NO_REPLY,
  type ReadOptions,
  type ReplyReader,
  readEvent,
  readInputs,
  UNCLEAR,
  UNREADABLE,
  wireReply,
} from "../reply-reader.ts";
import type { WireReply } from "../wire.ts";
import type { CallSoFar } from "./call-so-far.ts";
import { ReplySoFar } from "./reply-so-far.ts";
import { StreamedReply } from "./streamed-reply.ts";

/** Reads a reply that is one JSON, or a list of what would else be events. It is passed on when it is whole. */
export class JsonReply implements ReplyReader {
  readonly #options: ReadOptions;
  readonly #kept = new GrownBytes();
  readonly #reply = new ReplySoFar();
  #too_large = false;
  #rest: Uint8Array | undefined;
  #stream: StreamedReply | undefined;

  constructor(options: ReadOptions) {
    this.#options = options;
  }

  // biome-ignore lint/correctness/useYield: nothing is decided before the end
  *push(chunk: Uint8Array): InSteps<void> {
    this.#too_large ||= this.#kept.length + chunk.length > EVENT_LIMITS.bytes;
    if (!this.#too_large) this.#kept.add(chunk);
  }

  *end(): InSteps<WireReply> {
    const bytes = this.#kept.take();
    const { json, beyond = this.#too_large } = yield* readEvent(bytes);
    if (json === undefined && !beyond) return yield* this.#endAsStream(bytes);
    this.#rest = beyond ? this.#stop(UNREADABLE) : yield* this.#pass(json, bytes);
    return yield* wireReply(this.#reply, this.#options.form);
  }

  *rest(): InSteps<void> {
    yield this.#rest;
    yield* this.#stream?.rest() ?? [];
  }

  /** Some gateways send a stream by another name, and agents that asked for one read it. */
  *#endAsStream(whole: Uint8Array): InSteps<WireReply> {
    this.#stream = new StreamedReply(this.#options, MAX_EVENTS);
    yield* this.#stream.push(whole);
    return yield* this.#stream.end();
  }

  *#pass(json: unknown, bytes: Uint8Array): InSteps<Uint8Array> {
    const { form, gate } = this.#options;
    const said: readonly unknown[] = Array.isArray(json) ? json : [json];
    const bodies = asRecords(said);
    if (gate !== undefined && (bodies.length === 0 || bodies.length < said.length)) return this.#stop(NO_REPLY);
    const calls = bodies.map((body) => form.take(body, this.#reply));
    yield* readInputs(this.#reply.takeClosed());
    if (this.#reply.isUnreadable) return this.#stop(UNREADABLE);
    if (gate !== undefined && this.#reply.isUnclear) return this.#stop(UNCLEAR);
    yield* decideCalls(this.#reply.calls, gate);
    // Inputs of calls without an end were not read before.
    if (this.#reply.isUnreadable) return this.#stop(UNREADABLE);
    if (this.#reply.calls.every(({ exchanged }) => exchanged === null)) return bytes;
    const changed = bodies.flatMap((body, at) => form.exchange(body, calls[at] ?? NO_CALLS));
    return Buffer.from(JSON.stringify(Array.isArray(json) ? changed : changed[0]));
  }

  #stop(reason: string): Uint8Array {
    this.#reply.stop(reason);
    return new Uint8Array();
  }
}

/** The events of a stream that was announced as another type, which is read at once. */
const MAX_EVENTS = 20_000;

const NO_CALLS: readonly CallSoFar[] = [];
