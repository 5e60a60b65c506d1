import { canonicalJson } from "../../../domain/canonical-json.ts";
import { sha256 } from "../../../domain/sha256.ts";
import { type CallInputs, shallow, type WireCall, type WireResult } from "../wire.ts";

/** What a message is made of, the same for every wire. Reasoning is no part: agents leave it out as they like. */
export type Part =
  | { readonly kind: "text"; readonly text: string }
  /** Its input may be `unparsed` because nobody has read it yet. */
  | { readonly kind: "call"; readonly call: WireCall }
  | { readonly kind: "result"; readonly result: Omit<WireResult, "nth"> }
  | { readonly kind: "other"; readonly value: unknown };

/** One message of a conversation. */
export interface Said {
  readonly role: string;
  readonly parts: readonly Part[];
}

/** What the reader of one wire finds in a body. */
export interface RequestParts {
  readonly system: string;
  readonly said: readonly Said[];
  readonly offers_tools: boolean;
}

export const ASSISTANT = "assistant";

/**
 * SHA-256 of the role and of what was said, called and answered. It is the same when a message is sent again, though ids,
 * marks for caches and reasoning may differ. Inputs of calls are read as far as `inputs` goes, and count as texts beyond.
 */
export function messageDigest({ role, parts }: Said, inputs: CallInputs): string {
  const text = parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
  // Agents trim texts, and reorder what stands between two calls.
  const others = role === ASSISTANT ? [] : othersIn(parts);
  return sha256(JSON.stringify([role, text.trim(), callsIn(parts, inputs), resultTexts(parts), others]));
}

const callsIn = (parts: readonly Part[], inputs: CallInputs) =>
  parts.flatMap((part) => (part.kind === "call" ? [[part.call.name, inputOf(part.call, inputs)]] : []));

function inputOf({ input, unparsed }: WireCall, inputs: CallInputs): string {
  const read = unparsed === undefined ? input : inputs.read(unparsed);
  return canonicalJson(shallow(read === undefined ? unparsed : read));
}

const resultTexts = (parts: readonly Part[]) =>
  parts.flatMap((part) => (part.kind === "result" ? [part.result.text] : []));

const othersIn = (parts: readonly Part[]) =>
  parts.flatMap((part) => (part.kind === "other" ? [sha256(canonicalJson(shallow(part.value)))] : []));

/** All results, each with its name where one of the calls says it, and its place among those of its name. */
export function resultsOf(said: readonly Said[]): readonly WireResult[] {
  const parts = said.flatMap((message) => message.parts);
  const names = new Map(
    parts.flatMap((part) => (part.kind === "call" ? [[part.call.id, part.call.name] as const] : [])),
  );
  const seen = new Map<string | null, number>();
  return parts.flatMap((part) => {
    if (part.kind !== "result") return [];
    const { call_id } = part.result;
    const name = part.result.name ?? (call_id === null ? null : (names.get(call_id) ?? null));
    const nth = seen.get(name) ?? 0;
    seen.set(name, nth + 1);
    return [{ ...part.result, name, nth }];
  });
}
