import { asId } from "../../../domain/as-id.ts";
import { asRecord, asRecords, type LooseRecord } from "../../../domain/lenient.ts";
import { readBoundedJson } from "../../../runtime/bounded-json.ts";
import type { InSteps } from "../../wire/reply-reader.ts";
import { SseBlocks } from "../../wire/sse-blocks.ts";

/** A response of OpenAI's by its id, with its items. */
export interface KeptReply {
  readonly id: string;
  readonly output: readonly LooseRecord[];
}

/** The most that is read of one event, or of a reply that is no stream. An image comes as one item. */
const KEPT = { bytes: 8 * 1024 * 1024, values: 100_000 };

/** Finds a response in what an agent is sent, and tells of it before its end goes on. Nothing in it makes it throw. */
export class ReplyFinder {
  readonly #blocks = new SseBlocks(KEPT.bytes);
  readonly #found: (reply: KeptReply) => void;
  /** Items that came so far. */
  readonly #items: LooseRecord[] = [];
  #bytes = 0;

  constructor(found: (reply: KeptReply) => void) {
    this.#found = found;
  }

  /** Pieces of a stream of events, or the whole of what is none. */
  *push(bytes: Uint8Array): InSteps<void> {
    if (OPENING.test(Buffer.from(bytes.subarray(0, OPENING_BYTES)).toString("latin1"))) this.#end(readObject(bytes));
    for (let at = 0; at < bytes.length; at += STEP_BYTES) {
      if (at > 0) yield;
      for (const { data } of this.#blocks.push(bytes.subarray(at, at + STEP_BYTES))) {
        if (!holdsItems(data)) continue;
        if (data.length > STEP_BYTES) yield;
        this.#take(data);
      }
    }
  }

  #take(data: Buffer): void {
    const { type, item, response } = readObject(data) ?? {};
    if (type === "response.completed" || type === "response.incomplete") this.#end(asRecord(response));
    this.#bytes += data.length;
    if (type === "response.output_item.done" && this.#bytes <= KEPT.bytes) this.#items.push(...asRecords([item]));
  }

  /** Some gateways leave out at the end what they sent before. */
  #end(response: LooseRecord | undefined): void {
    const id = asId(response?.["id"]);
    const output = asRecords(response?.["output"]);
    if (id !== undefined) this.#found({ id, output: output.length > 0 ? output : this.#items });
  }
}

/** The bytes that are cut into events in one step, and the characters of an event that is read in the same. */
const STEP_BYTES = 512 * 1024;

/** A stream has none where an event begins. */
const OPENING = /^\s*\{/;
const OPENING_BYTES = 64;

/** All other events are pieces of what these hold whole. */
const holdsItems = (data: Buffer | undefined): data is Buffer =>
  HOLDING_ITEMS.some((type) => data?.includes(type) === true);

const HOLDING_ITEMS = ["output_item.done", "completed", "incomplete"].map((type) => `"response.${type}"`);

function readObject(bytes: Uint8Array): LooseRecord | undefined {
  const read = readBoundedJson(bytes, KEPT);
  return "value" in read ? asRecord(read.value) : undefined;
}
