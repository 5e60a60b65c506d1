import { asRecord, asText, type LooseRecord } from "../../../domain/lenient.ts";
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
import { type SseBlock, SseBlocks, sseBytes } from "../sse-blocks.ts";
import type { WireReply } from "../wire.ts";
import type { CallSoFar } from "./call-so-far.ts";
import { isUsageOnly } from "./chat.ts";
import { ReplySoFar } from "./reply-so-far.ts";

/** What holding a run of events takes beside its bytes. */
const HELD_RUN_BYTES = 1024;

/** The bytes of a whole reply. Today's longest have 130,000 events of some hundred bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_EVENTS = 1_000_000;

/** The bytes of an event whose lines are read in a step of their own. */
const STEP_BYTES = 1024 * 1024;

/** Runs of events that are written in one step. */
const STEP_RUNS = 1_000;

/** Events in a row of one name and of the same calls. A call in pieces is one, and a hundred thousand objects would take more than it. */
interface HeldRun extends Pick<SseBlock, "event"> {
  readonly bytes: GrownBytes;
  readonly calls: readonly CallSoFar[];
}

const CROWDED = "this reply, and those beside it, hold more of calls that are not whole than abeval keeps";

/** Reads a stream of events. With a gate it holds everything from the begin of a call until the call is whole. */
export class StreamedReply implements ReplyReader {
  readonly #options: ReadOptions;
  readonly #blocks = new SseBlocks(EVENT_LIMITS.bytes);
  readonly #reply = new ReplySoFar();
  /** What may go on. */
  readonly #passed = new GrownBytes();
  #held: HeldRun[] = [];
  #held_bytes = 0;
  /** What it has of the room. */
  #taken_bytes = 0;
  #bytes_left = MAX_BYTES;
  #events_left: number;
  #stopped = false;
  #events = 0;
  /** The names of events that were read; all that are named after their types are one. */
  readonly #names = new Set<string | undefined>();

  constructor(options: ReadOptions, max_events = MAX_EVENTS) {
    this.#options = options;
    this.#events_left = max_events;
  }

  *push(chunk: Uint8Array): InSteps<void> {
    if (this.#stopped) return;
    for (const block of this.#blocks.push(chunk)) {
      // Its lines were read just now, in about the time that its JSON takes.
      if (block.bytes.length > STEP_BYTES) yield;
      yield* this.#take(block);
      if (this.#stopped) break;
    }
    yield* this.#passed.takeParts();
    this.#bytes_left -= chunk.length;
    if (this.#blocks.isTooLarge || this.#bytes_left < 0) this.#stop(UNREADABLE);
    if (!this.#settleRoom() && !this.#stopped) this.#stop(CROWDED);
  }

  /** Takes room for what is held now, or gives it back. False: there is too little. */
  #settleRoom(): boolean {
    const more = this.#held_bytes + this.#blocks.kept_bytes - this.#taken_bytes;
    if (!this.#options.room.take(more)) return false;
    this.#taken_bytes += more;
    return true;
  }

  *end(): InSteps<WireReply> {
    const { form, gate } = this.#options;
    // An event that breaks off says nothing to a client. With a gate it is left out: a call could stand in it.
    for (const block of this.#blocks.end())
      if (gate === undefined || isDone(block) || (yield* eventIn(block)).event) yield* this.#take(block);
    if (this.#blocks.isTooLarge) this.#stop(UNREADABLE);
    if (gate !== undefined && this.#events === 0 && !this.#stopped) this.#stop(NO_REPLY);
    if (!this.#stopped) yield* decideCalls(this.#reply.calls, gate);
    // Inputs of calls without an end were not read before.
    if (this.#reply.isUnreadable) this.#stop(UNREADABLE);
    return yield* wireReply(this.#reply, form);
  }

  /** The room is given back when the client has taken them. */
  *rest(): InSteps<void> {
    try {
      yield* this.#release();
      yield* this.#passed.takeParts();
    } finally {
      this.#held_bytes = 0;
      this.#settleRoom();
    }
  }

  *#take(block: SseBlock): InSteps<void> {
    if (this.#stopped) return;
    const { form, gate } = this.#options;
    this.#events_left -= 1;
    if (isDone(block)) this.#reply.finishCalls();
    const { event, beyond } = yield* eventIn(block);
    if (beyond || this.#events_left < 0) return this.#stop(UNREADABLE);
    if (gate !== undefined && isOdd(block, event)) return;
    this.#events += Number(block.data !== undefined);
    const calls = event === undefined ? [] : form.take(event, this.#reply);
    const closed = this.#reply.takeClosed();
    yield* readInputs(closed);
    const fault = this.#faultOf(block.event, calls, event);
    if (fault !== null) return this.#stop(fault);
    yield* decideCalls(closed, gate);
    yield* this.#show(block, event, calls);
  }

  *#show(block: SseBlock, event: LooseRecord | undefined, calls: readonly CallSoFar[]): InSteps<void> {
    const { gate, hide_usage } = this.#options;
    const isHeld = gate !== undefined && this.#reply.open.size > 0;
    if (!isHeld) yield* this.#release();
    if (hide_usage && event !== undefined && isUsageOnly(event)) return;
    if (isHeld) this.#hold(block, calls);
    else yield* this.#write(block, calls);
  }

  /** Why neither this event nor any after it goes on. */
  #faultOf(name: string | undefined, calls: readonly CallSoFar[], event: LooseRecord | undefined): string | null {
    if (this.#reply.isUnreadable) return UNREADABLE;
    if (this.#options.gate === undefined) return null;
    return this.#reply.isUnclear || this.#isMisnamed(name, calls, event) ? UNCLEAR : null;
  }

  #hold({ bytes, event }: SseBlock, calls: readonly CallSoFar[]): void {
    this.#runOf(event, calls).bytes.add(bytes);
    this.#held_bytes += bytes.length;
  }

  /** The run that such an event goes on with, or begins. */
  #runOf(event: string | undefined, calls: readonly CallSoFar[]): HeldRun {
    const last = this.#held.at(-1);
    const isSame = last?.calls.length === calls.length && calls.every((call, at) => last.calls[at] === call);
    if (last?.event === event && isSame) return last;
    const run = { event, calls, bytes: new GrownBytes() };
    this.#held.push(run);
    this.#held_bytes += HELD_RUN_BYTES;
    return run;
  }

  #stop(reason: string): void {
    this.#stopped = true;
    this.#held = [];
    this.#held_bytes = 0;
    // Nothing more of it is read, and those beside it need the room.
    this.#blocks.drop();
    this.#settleRoom();
    this.#reply.stop(reason);
  }

  /** Some clients go by an event's name, others by its type, and some hear of no event that has no name, or another one. */
  #isMisnamed(name: string | undefined, calls: readonly CallSoFar[], event: LooseRecord | undefined): boolean {
    const type = asText(event?.["type"]);
    if (type === undefined && calls.length === 0) return false;
    this.#names.add(name !== undefined && name === type ? NAMED_AS_TYPE : name);
    return this.#names.size > 1 || (type !== undefined && name !== undefined && name !== type);
  }

  *#release(): InSteps<void> {
    const held = this.#held;
    if (held.length === 0) return;
    this.#held = [];
    yield* this.#passed.takeParts();
    for (const [at, { bytes, calls }] of held.entries()) {
      if (at % STEP_RUNS === STEP_RUNS - 1) yield;
      if (isLeft(calls)) yield* bytes.takeParts();
      else yield* this.#exchanged(bytes.takeParts(), calls);
    }
    this.#held_bytes = 0;
  }

  /** Each event of a run is read again, and written with what is in the place of its calls. */
  *#exchanged(parts: readonly Uint8Array[], calls: readonly CallSoFar[]): InSteps<void> {
    const blocks = new SseBlocks(EVENT_LIMITS.bytes);
    for (const part of parts) {
      for (const block of blocks.push(part)) yield* this.#write(block, calls);
      yield* this.#passed.takeParts();
    }
    for (const block of blocks.end()) yield* this.#write(block, calls);
    yield* this.#passed.takeParts();
  }

  *#write(block: SseBlock, calls: readonly CallSoFar[]): InSteps<void> {
    const event = isLeft(calls) ? undefined : (yield* eventIn(block)).event;
    const told = event === undefined ? [] : this.#options.form.exchange(event, calls);
    if (event === undefined) this.#passed.add(block.bytes);
    for (const one of told)
      this.#passed.add(sseBytes(block.event === undefined ? undefined : asText(one["type"]), JSON.stringify(one)));
  }
}

/** Whether nothing is in the place of their inputs. */
const isLeft = (calls: readonly CallSoFar[]) => calls.every(({ exchanged }) => exchanged == null);

const NAMED_AS_TYPE = "named after its type";

const isDone = ({ data }: SseBlock) => data?.equals(DONE) === true;

const DONE = Buffer.from("[DONE]");

/** What is no JSON, or no stream of events, for us may be some elsewhere. */
const isOdd = (block: SseBlock, event: LooseRecord | undefined): boolean =>
  block.data === undefined ? block.foreign : !isDone(block) && event === undefined;

interface ReadEvent {
  readonly event: LooseRecord | undefined;
  readonly beyond: boolean;
}

function* eventIn({ data }: Pick<SseBlock, "data">): InSteps<ReadEvent> {
  if (data === undefined) return { event: undefined, beyond: false };
  const { json, beyond = false } = yield* readEvent(data);
  return { event: asRecord(json), beyond };
}
