import { canonicalJson } from "../../../domain/canonical-json.ts";
import { asRecord, isNested, type LooseRecord, parseJson } from "../../../domain/lenient.ts";
import { sha256 } from "../../../domain/sha256.ts";
import { Pace } from "../../../runtime/pace.ts";
import type { Fetch } from "../../model/provider-call.ts";
import { DROPPED_FIELDS, type Normalise } from "./normalise.ts";
import { idOfResult, inResultOrder, withResultsInOrder } from "./result-order.ts";

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

/** Whether nothing depends on how often it is asked: what has no conversation, and counts of tokens. */
export const isRepeatable = ({ method, path }: Pick<Asked, "method" | "path">): boolean =>
  method !== "POST" || /[/:]count_?tokens$/i.test(path);

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
  return { asked: await askedOf({ method, url: request?.url ?? String(input), body }, normalise), call };
}

interface RawRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string;
}

export async function askedOf({ method, url, body }: RawRequest, normalise: Normalise): Promise<Asked> {
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

const itemsOf = (name: string, value: unknown): (readonly [place: string, value: unknown])[] =>
  Array.isArray(value) ? value.map((item, index) => [`${name}[${index}]`, item]) : [[name, value]];
