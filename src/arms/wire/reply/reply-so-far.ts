import type { LooseRecord } from "../../../domain/lenient.ts";
import type { Usage } from "../../../domain/usage.ts";
import { CallInputs, type WireReply } from "../wire.ts";
import { CallSoFar, GrownText, type Opening } from "./call-so-far.ts";

/** Characters of one reply that are kept: its text and the inputs of its calls. Today's longest have below a million. */
const MAX_CHARS = 4 * 1024 * 1024;

/** What a place costs of them, so that their number is bounded, too. */
const PLACE_CHARS = 64;

/** Each is looked at before the agent sees it. Models make a hundred at a time at most. */
const MAX_CALLS = 1_000;

/** A reply while it arrives. The readers of the wires write into it. */
export class ReplySoFar {
  usage: unknown = undefined;
  stop_reason: string | null = null;
  model_served: string | null = null;
  ended: WireReply["ended"] = "cut";
  error: string | null = null;
  readonly calls: CallSoFar[] = [];
  /** Blocks of content that began, whatever they are. */
  blocks = 0;
  /** Calls of which more is to come. */
  readonly open = new Set<CallSoFar>();
  #closed: CallSoFar[] = [];
  /** The call that is meant by a place in the reply. */
  readonly #places = new Map<string | number, CallSoFar>();
  readonly #inputs = new CallInputs();
  readonly #text = new GrownText();
  #chars = 0;
  #unclear = false;

  /** There was more than is kept. */
  get isUnreadable(): boolean {
    return this.#chars > MAX_CHARS || this.calls.length > MAX_CALLS || this.#inputs.exceeded;
  }

  /** One client could run another call than the next one, or than the one that was looked at. */
  get isUnclear(): boolean {
    return this.#unclear;
  }

  get text(): string {
    return this.#text.whole();
  }

  doubt(): void {
    this.#unclear = true;
  }

  addText(piece: string): void {
    if (this.#keep(piece.length)) this.#text.add(piece);
  }

  /** The call at a place. A new id at the same place is a new call: some servers number all calls 0. */
  callAt(place: string | number, { id, name, free_text = false }: Opening): CallSoFar {
    const known = this.#places.get(place);
    if (known !== undefined && (id === null || known.id === null || known.id === id)) {
      known.id ??= id;
      known.name ||= name;
      // Some clients take the first name, some the last.
      if (name !== "" && name !== known.name) this.doubt();
      return known;
    }
    // Many clients go by the place alone, and would join two calls to one.
    if (known !== undefined && !(known.isComplete && name !== "")) this.doubt();
    const call = new CallSoFar({ id, name, free_text }, this.#inputs);
    this.alsoAt(place, call);
    if (this.isUnreadable) return call;
    this.calls.push(call);
    this.open.add(call);
    return call;
  }

  /** Another place by which the same call is meant. */
  alsoAt(place: string | number, call: CallSoFar): void {
    if (this.#places.has(place) || this.#keep(PLACE_CHARS + `${place}`.length)) this.#places.set(place, call);
  }

  /** Undefined where no call of a tool of the agent began. */
  knownAt(place: string | number): CallSoFar | undefined {
    return this.#places.get(place);
  }

  addInput(call: CallSoFar, piece: string): void {
    if (call.whole && piece !== "") this.doubt();
    if (this.#keep(piece.length)) call.addInput(piece);
  }

  /** The whole input: a text as it stands, everything else as JSON. What came of it before must say the same. */
  setInput(call: CallSoFar, input: unknown): void {
    const text = typeof input === "string" ? input : (JSON.stringify(input) ?? "");
    if (text === "" || call.isInput(text)) return;
    if (call.whole || call.hasInput) this.doubt();
    else if (this.#keep(text.length)) call.addInput(text);
  }

  close(call: CallSoFar): void {
    if (!this.open.delete(call)) return;
    call.whole = true;
    this.#closed.push(call);
  }

  /** Calls that became whole since this was asked last. Their inputs have not been read. */
  takeClosed(): readonly CallSoFar[] {
    const closed = this.#closed;
    this.#closed = [];
    return closed;
  }

  fail(message: string | undefined): void {
    this.ended = "error";
    this.error = (message ?? "no message").slice(0, MAX_ERROR_CHARS);
  }

  /** Stops reading, for a reason of our own. */
  stop(reason: string): void {
    this.ended = "cut";
    this.error = reason;
  }

  finish(): void {
    if (this.ended === "cut") this.ended = "whole";
  }

  /** As `finish`, where nothing but the end says that the calls are whole. */
  finishCalls(): void {
    for (const call of this.open) this.close(call);
    this.finish();
  }

  #keep(chars: number): boolean {
    this.#chars += chars;
    return !this.isUnreadable;
  }
}

/** Providers say what is wrong in some hundred characters. */
const MAX_ERROR_CHARS = 4000;

/** How the replies of one wire are written. Neither function throws, whatever the event is. */
export interface ReplyForm {
  /**
   * Takes in an event of a stream, or a whole body.
   *
   * @returns the calls that it speaks of, in the order in which they stand in it.
   */
  readonly take: (event: LooseRecord, reply: ReplySoFar) => readonly CallSoFar[];
  /** The same event, or those in its place, with what is exchanged. `calls` is what `take` returned for it. */
  readonly exchange: (event: LooseRecord, calls: readonly CallSoFar[]) => readonly LooseRecord[];
  readonly usageOf: (usage: unknown) => Usage;
}
