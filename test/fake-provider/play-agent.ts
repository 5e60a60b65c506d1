import type { Message } from "../../src/arms/model/client.ts";
import type { Action, FakeReply, SeenRequest } from "./exchange.ts";

/** What one thread of an agent is told, turn by turn. */
export interface Thread {
  /** A text of its user's messages by which it is known. */
  readonly knownBy: string;
  readonly turns: readonly FakeReply[];
}

/**
 * Answers an agent as a real model would: each thread by its own turns, a request without tools (a title, a summary) in a
 * word. A turn is known by the calls that the request has already, so a request that is sent again gets the same answer.
 */
export function playAgent(threads: readonly Thread[], side: FakeReply = { text: "A title" }) {
  return (request: SeenRequest): Action => {
    if (request.tools.length === 0) return side;
    const said = request.messages.map(textIn).join("\n");
    const thread = threads.find(({ knownBy }) => said.includes(knownBy));
    if (thread === undefined) return { refuse: 400, message: "This request belongs to no thread." };
    return thread.turns[turnsTaken(request)] ?? { text: "Nothing is left to do." };
  };
}

const turnsTaken = ({ messages }: SeenRequest): number =>
  messages.filter((message) => message.role === "assistant" && message.calls.length > 0).length;

const textIn = (message: Message): string => (message.role === "user" ? message.text : "");
