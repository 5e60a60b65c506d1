import { canonicalJson } from "../../../domain/canonical-json.ts";
import { asRecord, asText, isNested, type LooseRecord, parseJson } from "../../../domain/lenient.ts";
import { sha256 } from "../../../domain/sha256.ts";
import { Pace } from "../../../runtime/pace.ts";
import type { Fetch } from "../../model/provider-call.ts";
import type { Normalise } from "./normalise.ts";

/** A place in a request, such as `messages[2]`, and the hash of what stands there. */
type Part = readonly [place: string, hash: string];

/** A request as it is matched: what it asks, never its headers nor its query. */
export interface Asked {
  readonly method: string;
  /** Behind the provider's address, so that a gateway's recording fits everywhere. */
  readonly path: string;
  /** Equal for requests that ask the same. */
  readonly key: string;
  readonly parts: readonly Part[];
  /** By hash. */
  readonly texts: ReadonlyMap<string, string>;
}

/** 128 bits: an arm that writes what is hashed must not find two texts of one hash. */
const HASH_CHARS = 32;

export const hashOf = (text: string): string => sha256(text).slice(0, HASH_CHARS);

export const keyOf = ({ method, path, parts }: Pick<Asked, "method" | "path" | "parts">): string =>
  hashOf([`${method} ${path}`, ...parts.map((part) => part.join(" "))].join("\n"));

type FetchCall = Parameters<Fetch>;

/** The request of a call, and the call to make in its place: a body that can be read only once is in it as text. */
export async function readAsked(
  input: FetchCall[0],
  init: FetchCall[1],
  normalise: Normalise,
): Promise<{ readonly asked: Asked; readonly call: FetchCall }> {
  const request = input instanceof Request ? input : undefined;
  const method = init?.method ?? request?.method ?? "GET";
  const given = init?.body ?? request?.body ?? null;
  const body = typeof given === "string" ? given : given === null ? "" : await new Response(given).text();
  const call: FetchCall = given === null || typeof given === "string" ? [input, init] : [input, { ...init, body }];
  return { asked: await readQuestion({ method, url: request?.url ?? String(input), body }, normalise), call };
}

export async function readQuestion(
  { method, url, body }: { readonly method: string; readonly url: string; readonly body: string },
  normalise: Normalise,
): Promise<Asked> {
  const spoken: Spoken[] = [];
  const pace = new Pace();
  for (const [place, value] of placesOf(body)) {
    const one = await spokenOf(place, value, normalise);
    await pace.bytes(one.text.length);
    spoken.push(one);
  }
  return {
    ...askedIn({ method, path: pathOf(url) }, spoken),
    texts: new Map(spoken.map(({ hash, text }) => [hash, text])),
  };
}

/** What stands at a place of a request, normalised. */
export interface Spoken {
  readonly place: string;
  readonly text: string;
  readonly hash: string;
  /** See `idOfResult`. */
  readonly result_of: string | undefined;
}

export async function spokenOf(place: string, value: unknown, normalise: Normalise): Promise<Spoken> {
  const normalised = withResultsInOrder(await normalise(value));
  const text = canonicalJson(normalised);
  return { place, text, hash: hashOf(text), result_of: idOfResult(normalised) };
}

/** A request of these parts. Results that stand side by side are a set. */
export function askedIn(
  request: Pick<Asked, "method" | "path">,
  spoken: readonly Spoken[],
): Pick<Asked, "method" | "path" | "key" | "parts"> {
  const ordered = inResultOrder(
    spoken,
    ({ result_of }) => result_of,
    ({ text }) => text,
  );
  const parts = ordered.map(({ hash }, at): Part => [spoken[at]?.place ?? "", hash]);
  return { ...request, parts, key: keyOf({ ...request, parts }) };
}

/** What providers call their services. What stands before is an address, or a version. */
const SERVICE = /\/(?:chat\/completions|completions|messages|responses|models|embeddings)(?:[/:].*)?$/;

function pathOf(url: string): string {
  const { pathname } = new URL(url);
  return SERVICE.exec(pathname)?.[0] ?? pathname;
}

/** Deeper than any provider's interface. Recursion goes that deep. */
const LEVELS = 200;

/** Lists that are the conversation come last, so that a difference is first looked for in what stands before it. */
const CONVERSATION: ReadonlySet<string> = new Set(["contents", "input", "messages"]);

/** Prompts that stand beside the conversation. */
const PROMPTS: ReadonlySet<string> = new Set(["instructions", "system", "systemInstruction", "system_instruction"]);

/** Each item of a list is a part, so that what a conversation repeats is stored once; `head` is all the rest. */
function placesOf(text: string): (readonly [place: string, value: unknown])[] {
  const body = asRecord(parseJson(text));
  if (body === undefined || isNested(body, LEVELS)) return text === "" ? [] : [["body", text]];
  const fields = Object.entries(body)
    .filter(([name]) => !DROPPED_FIELDS.has(name))
    .sort(([a], [b]) => Number(CONVERSATION.has(a)) - Number(CONVERSATION.has(b)) || (a < b ? -1 : 1));
  const isApart = ([name, value]: readonly [string, unknown]) => Array.isArray(value) || PROMPTS.has(name);
  const head: LooseRecord = Object.fromEntries(fields.filter((field) => !isApart(field)));
  return [["head", head], ...fields.filter(isApart).flatMap(([name, value]) => itemsOf(name, value))];
}

/** Fields beside the conversation that hold ids of a run or a user. `cache_control` stands anywhere and only moves. */
const DROPPED_FIELDS: ReadonlySet<string> = new Set([
  ...["metadata", "client_metadata", "prompt_cache_key", "prompt_cache_retention", "cache_control"],
  ...["safety_identifier", "session_id", "user"],
]);

const itemsOf = (name: string, value: unknown): (readonly [place: string, value: unknown])[] =>
  Array.isArray(value) ? value.map((item, index) => [`${name}[${index}]`, item]) : [[name, value]];

/**
 * Results of calls that were made at once stand in a conversation as they were done. Puts those that stand side by side in the order of
 * their calls' ids; everything else stays where it is.
 */
function inResultOrder<T>(
  items: readonly T[],
  idOf: (item: T) => string | undefined,
  textOf: (item: T) => string,
): T[] {
  const ordered: T[] = [];
  let run: { readonly item: T; readonly id: string }[] = [];
  const endRun = () => {
    const isUnclear = new Set(run.map(({ id }) => id)).size < run.length;
    const keyed = run.map(({ item, id }) => ({ item, key: isUnclear ? `${id} ${textOf(item)}` : id }));
    for (const { item } of keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))) ordered.push(item);
    run = [];
  };
  for (const item of items) {
    const id = idOf(item);
    if (id !== undefined) run.push({ item, id });
    else {
      endRun();
      ordered.push(item);
    }
  }
  endRun();
  return ordered;
}

/** A message with its results in order. */
function withResultsInOrder(message: unknown): unknown {
  const record = asRecord(message);
  const field = BLOCKS.find((name) => Array.isArray(record?.[name]));
  if (record === undefined || field === undefined) return message;
  return { ...record, [field]: inResultOrder(blocksIn(record, field), idOfResult, canonicalJson) };
}

/** The id of the call that a message, an item or a block reports on; undefined when it does more or something else. */
function idOfResult(value: unknown): string | undefined {
  const record = asRecord(value) ?? {};
  const own = ownId(record);
  if (own !== undefined) return own;
  const blocks = BLOCKS.flatMap((field) => blocksIn(record, field)).map((block) => ownId(asRecord(block) ?? {}));
  return blocks.length > 0 && blocks.every((id) => id !== undefined) ? blocks[0] : undefined;
}

/** Where a message has its blocks: Anthropic's, Gemini's. */
const BLOCKS = ["content", "parts"];

const blocksIn = (record: LooseRecord, field: string): readonly unknown[] => {
  const blocks = record[field];
  return Array.isArray(blocks) ? blocks : [];
};

function ownId(record: LooseRecord): string | undefined {
  const { type, role } = record;
  const response = asRecord(record["functionResponse"] ?? record["function_response"]);
  if (response !== undefined) return asText(response["id"]) ?? asText(response["name"]) ?? "";
  if (type === "tool_result") return asText(record["tool_use_id"]) ?? "";
  if (role === "tool") return asText(record["tool_call_id"]) ?? "";
  return asText(type)?.endsWith("_call_output") ? (asText(record["call_id"]) ?? "") : undefined;
}
