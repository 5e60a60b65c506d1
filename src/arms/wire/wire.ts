import type { WireName } from "../../domain/external-agent.ts";
import type { Usage } from "../../domain/usage.ts";

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
