import { canonicalJson } from "../domain/canonical-json.ts";
import { sha256 } from "../domain/sha256.ts";
import { shallow } from "./shallow.ts";
import type { WireCall, WireMessage, WireResult } from "./wire.ts";

/** What a message is made of, the same for every wire. Reasoning is no part: agents leave it out as they like. */
export type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "call"; readonly call: WireCall }
  | { readonly kind: "result"; readonly result: Omit<WireResult, "nth"> }
  | { readonly kind: "other"; readonly value: unknown };

/** A message before it is digested. */
export interface Said {
  readonly role: string;
  readonly parts: readonly Part[];
}

export const ASSISTANT = "assistant";

export function messageOf({ role, parts }: Said): WireMessage {
  const text = parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
  // Agents trim texts, and reorder what stands between two calls.
  const said = { role, text: text.trim(), calls: callsIn(parts), results: resultTexts(parts) };
  return { role, digest: sha256(canonicalJson({ ...said, others: role === ASSISTANT ? [] : othersIn(parts) })), text };
}

const callsIn = (parts: readonly Part[]) =>
  parts.flatMap((part) =>
    part.kind === "call" ? [{ name: part.call.name, input: shallow(part.call.unparsed ?? part.call.input) }] : [],
  );

const resultTexts = (parts: readonly Part[]) =>
  parts.flatMap((part) => (part.kind === "result" ? [part.result.text] : []));

const othersIn = (parts: readonly Part[]) =>
  parts.flatMap((part) => (part.kind === "other" ? [shallow(part.value)] : []));

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
