import { boundedJsonInSteps, isMalformed } from "../../runtime/bounded-json.ts";
import type { CallSoFar } from "./reply/call-so-far.ts";
import type { ReplyForm, ReplySoFar } from "./reply/reply-so-far.ts";
import { messageDigest, type Part } from "./request/message.ts";
import type { Room } from "./room.ts";
import { type CallGate, CallInputs, type WireReply } from "./wire.ts";

/**
 * Work that yields bytes where these may go on, and nothing where others can have their turn: before each call that the gate is asked
 * about, which may take its time, and in the midst of megabytes.
 */
export type InSteps<T> = Generator<Uint8Array | undefined, T, void>;

/** Reads one reply while it passes. Nothing that a provider sends makes it throw. */
export interface ReplyReader {
  /** Takes bytes in and yields those that may go on now. */
  push(chunk: Uint8Array): InSteps<void>;
  /** The provider sends no more: what it said. */
  end(): InSteps<WireReply>;
  /** Yields the bytes that are left then. */
  rest(): InSteps<void>;
}

export interface ReadOptions {
  /** What replies that come side by side may hold together: what came of calls and events that are not whole. */
  readonly room: Room;
  readonly form: ReplyForm;
  readonly gate: CallGate | undefined;
  readonly hide_usage: boolean;
}

/** What one event of a stream, and a body that is no stream, may have. Images come as one event. */
export const EVENT_LIMITS = { bytes: 8 * 1024 * 1024, values: 100_000 };

/** The JSON of an event or a body. `beyond`: there is more than is read. Both are absent for what is no JSON. */
export function* readEvent(bytes: Uint8Array): InSteps<{ readonly json?: unknown; readonly beyond?: true }> {
  const steps = boundedJsonInSteps(bytes, EVENT_LIMITS);
  let step = steps.next();
  for (; !step.done; step = steps.next()) yield;
  if ("value" in step.value) return { json: step.value.value };
  return isMalformed(step.value.fault) ? {} : { beyond: true };
}

/** What cannot be read is not passed on: a call could stand in it. */
export const UNREADABLE = "the reply is larger, or nested deeper, than abeval reads";

/** Nor is what an agent could read otherwise than the gate did. */
export const UNCLEAR = "the reply can be read in several ways, so it is not known which calls it makes";

/** An agent that mends what is broken could read calls out of it that nobody looked at. */
export const NO_REPLY = "the reply is neither JSON nor a stream of events";

/** Asks about each call once. */
export function* decideCalls(calls: readonly CallSoFar[], gate: CallGate | undefined): InSteps<void> {
  for (const call of calls) {
    if (call.exchanged !== undefined) continue;
    if (gate !== undefined) yield;
    call.exchanged = gate?.(call.call) ?? null;
  }
}

/** Reads the inputs of calls, some at a time. */
export function* readInputs(calls: readonly CallSoFar[]): InSteps<void> {
  let chars = 0;
  for (const call of calls) {
    chars += call.chars;
    if (chars > STEP_CHARS) {
      yield;
      chars = call.chars;
    }
    call.read();
  }
}

/** The characters of inputs that are read in one step, unless one input alone has more. */
const STEP_CHARS = 512 * 1024;

/** What is known when no more comes. */
export function* wireReply(so_far: ReplySoFar, form: ReplyForm): InSteps<WireReply> {
  if (so_far.calls.reduce((sum, { chars }) => sum + chars, 0) > STEP_CHARS) yield;
  const { text, stop_reason, model_served, ended, error } = so_far;
  const parts: Part[] = [
    { kind: "text", text },
    ...so_far.calls.map(({ passed }): Part => ({ kind: "call", call: passed })),
  ];
  return {
    text,
    calls: so_far.calls.map(({ call }) => call),
    cache_write_tokens: null,
    ...form.usageOf(so_far.usage),
    // What was counted before the end is not all.
    ...(ended !== "whole" && { tokens_out: null }),
    stop_reason,
    model_served,
    ended,
    error,
    message_digest: messageDigest({ role: "assistant", parts }, new CallInputs()),
  };
}
