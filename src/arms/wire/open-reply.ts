import type { WireName } from "../../domain/external-agent.ts";
import { ANTHROPIC_REPLY } from "./reply/anthropic.ts";
import { CHAT_REPLY } from "./reply/chat.ts";
import { GEMINI_REPLY } from "./reply/gemini.ts";
import { JsonReply } from "./reply/json-reply.ts";
import type { ReplyForm } from "./reply/reply-so-far.ts";
import { RESPONSES_REPLY } from "./reply/responses.ts";
import { StreamedReply } from "./reply/streamed-reply.ts";
import type { ReplyReader } from "./reply-reader.ts";
import { type Pot, Room } from "./room.ts";
import type { CallGate } from "./wire.ts";

const FORMS: Readonly<Record<WireName, ReplyForm>> = {
  anthropic: ANTHROPIC_REPLY,
  chat: CHAT_REPLY,
  responses: RESPONSES_REPLY,
  gemini: GEMINI_REPLY,
};

/** A call of a megabyte comes in pieces of some characters, each in an event of more than a hundred bytes. */
export const replyRoom = (pot?: Pot): Room => new Room(32 * 1024 * 1024, pot);

export interface OpenReply {
  /** The type of the provider's reply: a stream of events, or one JSON. */
  readonly content_type: string;
  /** Asked once for each call, before the agent sees any of it. */
  readonly gate?: CallGate;
  /** The client did not ask for usage: the chunk that only counts is left out. */
  readonly hide_usage?: boolean;
  /** Shared by all replies that one agent waits for. */
  readonly room?: Room;
}

/** Reads a reply while it passes. Without a gate's objection the bytes that come out are those that went in. */
export function openReply(
  wire: WireName,
  { content_type, gate, hide_usage = false, room = replyRoom() }: OpenReply,
): ReplyReader {
  const options = { form: FORMS[wire], gate, hide_usage, room };
  return /^\s*text\/event-stream/i.test(content_type) ? new StreamedReply(options) : new JsonReply(options);
}
