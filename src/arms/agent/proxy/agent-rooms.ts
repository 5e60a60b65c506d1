import { replyRoom } from "../../wire/open-reply.ts";
import type { Pot, Room } from "../../wire/room.ts";
import { REQUEST_LIMITS, requestRoom } from "./agent-body.ts";
import { conversationRoom } from "./conversations.ts";

/** What one agent has us hold at a time. */
export interface AgentRooms extends Disposable {
  /** Holds requests that are open. */
  readonly requests: Room;
  /** Holds replies whose calls are not whole. */
  readonly replies: Room;
  /** Holds conversations that go on by an id. */
  readonly kept: Room;
}

/** Beyond one request of the largest, the agents of a process share this: eight of them could take a gigabyte. */
const ALL_AGENTS: Pot = { most: 96 * 1024 * 1024, fair: REQUEST_LIMITS.bytes, held: 0 };

export function agentRooms(pot = ALL_AGENTS): AgentRooms {
  const rooms = { requests: requestRoom(pot), replies: replyRoom(pot), kept: conversationRoom(pot) };
  return {
    ...rooms,
    [Symbol.dispose]() {
      for (const room of Object.values(rooms)) room[Symbol.dispose]();
    },
  };
}
