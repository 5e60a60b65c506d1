import type { IncomingMessage } from "node:http";
import { asRecord, type LooseRecord } from "../../../domain/lenient.ts";
import { boundedJsonInSteps, isMalformed } from "../../../runtime/bounded-json.ts";
import { GrownBytes } from "../../../runtime/grown-bytes.ts";
import { ownTurn, steadily } from "../../../runtime/pace.ts";
import { type Pot, Room } from "../../wire/room.ts";

/** The most that is read of one request. A conversation of a million tokens has some 5 MB and 50,000 values; reading it takes less than 50 ms a step. */
export const REQUEST_LIMITS = { bytes: 8 * 1024 * 1024, values: 100_000 };

/** Bytes of all requests of one agent that are open at a time. Each takes several times as much when it is read. */
const ROOM_BYTES = 8 * REQUEST_LIMITS.bytes;

/** The bytes that are taken of a request that is too large: many clients read no answer before they have sent all. */
const MAX_TAKEN_BYTES = 64 * 1024 * 1024;

export const requestRoom = (pot?: Pot): Room => new Room(ROOM_BYTES, pot);

export interface BodyRefusal {
  readonly status: number;
  readonly message: string;
  /** It is worth another try. */
  readonly again?: boolean;
}

/** What a request holds, or why it is not read. Its room is given back when it is disposed of. */
export interface AgentBody extends Disposable {
  /** Null for a request without a body. */
  readonly json: LooseRecord | null;
  readonly bytes: number;
  readonly refused: BodyRefusal | null;
  /** Takes room for what it rests on, too. Gives why there is none. */
  readonly grow: (added_bytes: number) => BodyRefusal | null;
}

interface Incoming extends Pick<IncomingMessage, "method">, AsyncIterable<Buffer> {
  destroy(): unknown;
}

/** @throws Error when the connection breaks off */
export async function readAgentBody(request: Incoming, room: Room): Promise<AgentBody> {
  const held = new HeldBytes(room);
  try {
    for await (const chunk of request) {
      held.add(chunk);
      if (held.bytes <= MAX_TAKEN_BYTES) continue;
      request.destroy();
      break;
    }
  } catch (error) {
    held.give();
    throw error;
  }
  const read = request.method === "POST" ? await jsonOf(held) : { json: null, refused: null };
  const grow = (bytes: number) => (held.grow(bytes) ? null : crowded(held.bytes + bytes).refused);
  return { ...read, bytes: held.bytes, grow, [Symbol.dispose]: () => held.give() };
}

async function jsonOf(held: HeldBytes): Promise<Pick<AgentBody, "json" | "refused">> {
  const { bytes, fits } = held;
  if (bytes > REQUEST_LIMITS.bytes) return refused(413, `${bytes} bytes, at most ${REQUEST_LIMITS.bytes} are read`);
  if (!fits) return crowded(bytes);
  await ownTurn();
  const read = await steadily(boundedJsonInSteps(held.take(), REQUEST_LIMITS));
  if ("fault" in read) return isMalformed(read.fault) ? NO_OBJECT : refused(413, read.fault);
  const json = asRecord(read.value);
  return json === undefined ? NO_OBJECT : { json, refused: null };
}

const refused = (status: number, fault: string) => ({
  json: null,
  refused: { status, message: `the request has ${fault}: ${status === 429 ? WAIT : SHORTEN}` },
});

const crowded = (bytes: number) =>
  refused(
    429,
    `${bytes} bytes, and requests that wait beside it, or other agents, fill the ${ROOM_BYTES} that are held`,
  );

const SHORTEN = "shorten the conversation, or send fewer files and images";
const WAIT = "send it again when one of these has been answered";

const NO_OBJECT = { json: null, refused: { status: 400, message: "the body is not a JSON object" } };

/** What has come of a body, as far as there is room for it. */
class HeldBytes {
  bytes = 0;
  fits = true;
  readonly #room: Room;
  /** Not the chunks themselves: those of a byte each would take a hundred times as much. */
  #held = new GrownBytes();
  #taken = 0;

  constructor(room: Room) {
    this.#room = room;
  }

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    this.fits &&= this.bytes <= REQUEST_LIMITS.bytes && this.grow(chunk.length);
    if (this.fits) this.#held.add(chunk);
    else this.give();
  }

  /** Takes more room. False: there is none. */
  grow(bytes: number): boolean {
    if (!this.#room.take(bytes)) return false;
    this.#taken += bytes;
    return true;
  }

  /** The bytes. Their room stays taken, by what is read from them. */
  take(): Uint8Array {
    const whole = this.#held.take();
    this.#held = new GrownBytes();
    return whole;
  }

  give(): void {
    this.#held = new GrownBytes();
    this.#room.give(this.#taken);
    this.#taken = 0;
  }
}
