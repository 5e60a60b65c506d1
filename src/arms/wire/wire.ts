import type { WireName } from "../../domain/external-agent.ts";
import { asRecord, asText, dig, isNested } from "../../domain/lenient.ts";
import type { Usage } from "../../domain/usage.ts";
import { isMalformed, readBoundedJson } from "../../runtime/bounded-json.ts";

/** A call of a tool that the agent runs. What the provider runs itself is none. */
export interface WireCall {
  /** Null on a wire without ids. */
  readonly id: string | null;
  readonly name: string;
  /** An object as a rule; a text for a tool of free text. Undefined when it could not be read. */
  readonly input: unknown;
  /** What came of an input that is no JSON, too large or not whole. */
  readonly unparsed?: string;
}

/** The result of a call, as an agent reports it to the model. */
export interface WireResult {
  /** Null on a wire without ids. */
  readonly call_id: string | null;
  /** The tool's name; null when neither the result nor a call in the same request says it. */
  readonly name: string | null;
  /** Results of the same name that stand before it in the request. */
  readonly nth: number;
  readonly text: string;
  /** Null where the wire does not say it. */
  readonly is_error: boolean | null;
}

/** What a request for a reply says. What is of no known form is left out. */
export interface WireRequest {
  readonly wire: WireName;
  readonly model: string | null;
  readonly stream: boolean;
  /** Whether the model may call tools that the agent runs. */
  readonly offers_tools: boolean;
  /** Everything that the system or the developer says, wherever it stands. It is in no message. */
  readonly system: string;
  /** One for each message of the conversation. What an assistant wrote in one turn is one message on every wire. */
  readonly message_digests: readonly string[];
  /** All that the request holds, in order; those of earlier requests come again. */
  readonly results: readonly WireResult[];
}

/** What a provider replied, as far as it came. Tokens are null where it did not say them. */
export interface WireReply extends Usage {
  /** What the model said, without its reasoning. A refusal is text, too. */
  readonly text: string;
  /** The calls as the model made them, also those that the gate replaced. An incomplete call has `unparsed`. */
  readonly calls: readonly WireCall[];
  /** Cache writes within tokens_in; null where the wire does not say them. */
  readonly cache_write_tokens: number | null;
  readonly stop_reason: string | null;
  readonly model_served: string | null;
  /** `error`: the provider reports that it failed, also in a reply that began well. `cut`: the end is missing. */
  readonly ended: "whole" | "cut" | "error";
  /** The provider's words. */
  readonly error: string | null;
  /** Digest of the message by which the agent's next request repeats this reply. */
  readonly message_digest: string;
}

/** The input that takes the place of the call's own, of the same shape; null: the call may be made as it is. */
export type CallGate = (call: WireCall) => object | string | null;

/** The most that the inputs of all calls of one request or reply have together. Large edits have some hundred values. */
const LIMITS = { bytes: 8 * 1024 * 1024, values: 50_000 };

/** Reads the inputs that are JSON in texts, of one request or reply. */
export class CallInputs {
  #values = LIMITS.values;
  #exceeded = false;

  /** There was more than is read. */
  get exceeded(): boolean {
    return this.#exceeded;
  }

  /** Undefined for a text that is no JSON, and for one that is not read. No text means no arguments. */
  read(text: string): unknown {
    if (text.trim() === "") return {};
    const read = readBoundedJson(Buffer.from(text), { ...LIMITS, values: this.#values });
    if ("fault" in read) {
      this.#exceeded ||= !isMalformed(read.fault);
      return undefined;
    }
    this.#values -= read.values;
    return read.value;
  }
}

/** The input of a call whose arguments are JSON in a string. Some servers send an object, or nothing for no arguments. */
export function callInput(given: unknown, inputs = new CallInputs()): Pick<WireCall, "input" | "unparsed"> {
  const { input, unparsed } = writtenInput(given);
  if (unparsed === undefined) return { input };
  const read = inputs.read(unparsed);
  return read === undefined ? { input: read, unparsed } : { input: read };
}

/** The same before the string is read. */
export const writtenInput = (given: unknown): Pick<WireCall, "input" | "unparsed"> =>
  typeof given === "string" ? { input: undefined, unparsed: given } : { input: given ?? {} };

/** Levels of nesting that are read. What people and models write has a few; many more would overflow the stack. */
const LEVELS = 200;

const TOO_DEEP = "[nested too deep]";

/** A value that code may walk over: of an object the fields that are nested too deep are replaced, so that the others are seen. */
export function shallow(value: unknown): unknown {
  if (!isNested(value, LEVELS)) return value;
  const record = asRecord(value);
  if (record === undefined) return TOO_DEEP;
  return Object.fromEntries(
    Object.entries(record).map(([field, inner]) => [field, isNested(inner, LEVELS - 1) ? TOO_DEEP : inner]),
  );
}

/** The text of a content: a string, or a list of strings and of blocks of which some have a `text`. */
export function textIn(content: unknown): string {
  if (!Array.isArray(content)) return asText(content) ?? asText(dig(content, "text")) ?? "";
  return content.map((block) => asText(block) ?? asText(dig(block, "text")) ?? "").join("");
}
