import { asId } from "../../../domain/as-id.ts";
import { asRecord, asRecords, type LooseRecord } from "../../../domain/lenient.ts";
import { boundedJsonInSteps, readBoundedJson } from "../../../runtime/bounded-json.ts";
import { ownTurn, steadily } from "../../../runtime/pace.ts";
import { Semaphore } from "../../../runtime/semaphore.ts";
import { isLostReasoning, isReference } from "../../wire/edit-request.ts";
import type { InSteps } from "../../wire/reply-reader.ts";
import { type Pot, Room } from "../../wire/room.ts";
import { SseBlocks } from "../../wire/sse-blocks.ts";
import { type AgentBody, type BodyRefusal, REQUEST_LIMITS } from "./agent-body.ts";

/** A request with the conversation that it rests on. */
interface WholeRequest {
  readonly body: LooseRecord;
  /** What stands in it beyond what the agent sent. */
  readonly added_bytes: number;
  /** Undefined when the provider was not asked to keep it. */
  readonly keep: KeepReply | undefined;
}

/** Keeps the whole reply to a request, as the agent saw it. */
export type KeepReply = (reply: ReplyItems) => void;

/** What a request adds to a conversation. */
interface Said {
  readonly before: Kept | null;
  readonly items: readonly LooseRecord[];
}

/** Why there is none: it rests on what is `unknown` to us, or it is too large. */
type NotWhole = { readonly unknown: string } | { readonly refused: BodyRefusal };

/** A response with what was asked for it. */
interface Kept {
  readonly id: string;
  readonly before: Kept | null;
  /** Each is JSON. Null: they are forgotten. */
  items: readonly string[] | null;
  /** Ids of those that the provider replied. */
  readonly names: readonly string[];
  readonly bytes: number;
}

interface KeptItem {
  readonly of: Kept;
  readonly text: string;
}

/** The most that is kept for one agent. The longest conversations of today's agents have some megabytes. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024;
const MAX_KEPT_REPLIES = 2_000;

export const conversationRoom = (pot?: Pot): Room => new Room(MAX_KEPT_BYTES, pot);

/** What an item takes beside its text. */
const ITEM_BYTES = 200;

/**
 * Keeps in OpenAI's place what an agent has it keep: an agent may send the id of an earlier response, or of an item, in the place of the
 * conversation. It holds the replies as the agent saw them, and forgets those that were used longest ago.
 */
export class Conversations {
  /** The one that was used last stands last. */
  readonly #kept = new Set<Kept>();
  readonly #by_id = new Map<string, Kept>();
  readonly #items = new Map<string, KeptItem>();
  readonly #room: Room;

  constructor(room = conversationRoom()) {
    this.#room = room;
  }

  /** The request with whole items in the place of ids, for which `grow` has to find room. Never throws. */
  async whole(body: LooseRecord, grow: AgentBody["grow"]): Promise<WholeRequest | NotWhole> {
    const { previous_response_id: id = null, input, store, ...rest } = body;
    const before = id === null ? null : this.#by_id.get(asId(id) ?? "");
    const earlier = before === undefined ? null : this.#upTo(before);
    if (before === undefined || earlier === null) return unknown("previous_response_id", id);
    const own = itemsIn(input).map((item) => ({ item, meant: this.#meant(item) }));
    const lost = own.find(({ item, meant }) => isReference(item) && meant === undefined);
    if (lost !== undefined) return unknown("item_reference", lost.item["id"]);
    const keeping = (items: readonly LooseRecord[]) =>
      store === false ? undefined : (reply: ReplyItems) => this.#keep({ before, items }, reply);
    if (before === null && own.every(({ meant }) => meant === undefined))
      return { body, added_bytes: 0, keep: keeping(own.map(({ item }) => item)) };
    const added_bytes = lengthOf([...earlier, ...own.flatMap(({ meant }) => meant ?? [])]);
    // What is larger than any request may be will not fit later either.
    const crowded = added_bytes > REQUEST_LIMITS.bytes ? null : grow(added_bytes);
    if (crowded !== null) return { refused: crowded };
    const read = await joined([...earlier, ...own.map(({ item, meant }) => meant ?? JSON.stringify(item))]);
    if ("fault" in read)
      return { refused: { status: 413, message: `the conversation that the request rests on has ${read.fault}` } };
    const kept = store === undefined ? {} : { store };
    return {
      body: { ...rest, ...kept, input: read.items },
      added_bytes,
      keep: keeping(read.items.slice(earlier.length)),
    };
  }

  #keep({ before, items }: Said, { id, output }: ReplyItems): void {
    const texts = [...items, ...output].map((item) => JSON.stringify(item));
    const bytes = lengthOf(texts) + (texts.length + 1) * ITEM_BYTES;
    if (bytes > MAX_KEPT_BYTES || !this.#makeRoom(bytes)) return;
    const names = output.map((item) => asId(item["id"]) ?? "");
    const kept: Kept = { id, before, items: texts, names, bytes };
    this.#kept.add(kept);
    this.#by_id.set(id, kept);
    for (const [at, name] of names.entries())
      if (name !== "") this.#items.set(name, { of: kept, text: texts[items.length + at] ?? "" });
  }

  /** Forgets what it must. False: others hold the room. */
  #makeRoom(bytes: number): boolean {
    for (const oldest of this.#kept) {
      if (this.#kept.size < MAX_KEPT_REPLIES && this.#room.take(bytes)) return true;
      this.#forget(oldest);
    }
    return this.#room.take(bytes);
  }

  /** JSON of the item that this one stands for: a reference, or reasoning without its content. */
  #meant(item: LooseRecord): string | undefined {
    if (!isReference(item) && !isLostReasoning(item)) return undefined;
    const found = this.#items.get(asId(item["id"]) ?? "");
    if (found !== undefined) this.#use(found.of);
    return found?.text;
  }

  /** All items of a response and of those before it; null when some are forgotten. */
  #upTo(last: Kept | null): readonly string[] | null {
    const chain: Kept[] = [];
    for (let at = last; at !== null; at = at.before) chain.push(at);
    if (chain.some(({ items }) => items === null)) return null;
    const oldestFirst = chain.reverse();
    for (const kept of oldestFirst) this.#use(kept);
    return oldestFirst.flatMap(({ items }) => items ?? []);
  }

  #use(kept: Kept): void {
    this.#kept.delete(kept);
    this.#kept.add(kept);
  }

  #forget(kept: Kept): void {
    this.#kept.delete(kept);
    this.#room.give(kept.bytes);
    kept.items = null;
    if (this.#by_id.get(kept.id) === kept) this.#by_id.delete(kept.id);
    for (const name of kept.names) if (this.#items.get(name)?.of === kept) this.#items.delete(name);
  }
}

const itemsIn = (input: unknown): readonly LooseRecord[] =>
  typeof input === "string" ? [{ role: "user", content: input }] : asRecords(input);

const joining = new Semaphore(1);

/** Each step of it takes up to 20 ms, and what it makes on its way takes several times as much memory as the texts. */
async function joined(
  texts: readonly string[],
): Promise<{ readonly items: readonly LooseRecord[] } | { readonly fault: string }> {
  const length = lengthOf(texts);
  if (length > REQUEST_LIMITS.bytes) return { fault: `${length} characters, at most ${REQUEST_LIMITS.bytes} are read` };
  using _ = await joining.acquire(new AbortController().signal);
  await ownTurn();
  const bytes = Buffer.from(`[${texts.join(",")}]`);
  await ownTurn();
  const read = await steadily(boundedJsonInSteps(bytes, REQUEST_LIMITS));
  return "fault" in read ? read : { items: asRecords(read.value) };
}

const lengthOf = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length, 0);

function unknown(field: string, id: unknown): NotWhole {
  const named = `${field} ${JSON.stringify(id ?? null).slice(0, MAX_NAMED_CHARS)}`;
  const kept = `${MAX_KEPT_REPLIES} replies of an agent are, up to ${MAX_KEPT_BYTES} bytes`;
  return {
    unknown: `${named} names no reply of this run that is kept (the last ${kept}); send the whole conversation`,
  };
}

const MAX_NAMED_CHARS = 200;

/** A response of OpenAI's by its id, with its items. */
export interface ReplyItems {
  readonly id: string;
  readonly output: readonly LooseRecord[];
}

/** The most that is read of one event, or of a reply that is no stream. An image comes as one item. */
const KEPT = { bytes: 8 * 1024 * 1024, values: 100_000 };

/** Finds a response in what an agent is sent, and tells of it before its end goes on. Nothing in it makes it throw. */
export class ReplyFinder {
  readonly #blocks = new SseBlocks(KEPT.bytes);
  readonly #found: (reply: ReplyItems) => void;
  /** Items that came so far. */
  readonly #items: LooseRecord[] = [];
  #bytes = 0;

  constructor(found: (reply: ReplyItems) => void) {
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
