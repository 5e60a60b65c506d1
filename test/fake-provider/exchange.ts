import type { Message, ModelReply } from "../../src/model/client.ts";

/** The wire formats that the fake provider speaks. */
export type Wire = "anthropic" | "openai";

/** A request as a provider sees it, in words that do not depend on its wire format. */
export interface SeenRequest {
  /** 0 for the first request that the server got. */
  readonly index: number;
  readonly wire: Wire;
  readonly model: string;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly { readonly name: string; readonly description: string; readonly input: unknown }[];
  readonly force_tool: string | undefined;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it was sent. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ReplyCall {
  readonly id?: string;
  readonly name: string;
  readonly input?: unknown;
  /** Raw arguments in place of `input`; only OpenAI's wire format can carry text that is no JSON. */
  readonly arguments?: string;
}

/** An answer. Whatever is left out gets a plausible value. */
export interface FakeReply {
  readonly text?: string;
  readonly calls?: readonly ReplyCall[];
  readonly stop?: ModelReply["stop"];
  /** Tokens; `in` is all input, `cached` the part of it read from a cache, `written` the part written to it. */
  readonly usage?: { readonly in: number; readonly out: number; readonly cached?: number; readonly written?: number };
  readonly model?: string;
  /** Waited before answering. */
  readonly delay_ms?: number;
}

/** Any answer at all: status, headers and body as given; objects are sent as JSON. */
export interface RawReply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body is an error that quotes every header of the request, the key among them. */
  readonly echo?: true;
  readonly delay_ms?: number;
}

/** What servers do when they break. `headers` go out where a reply begins at all. */
export interface Fault {
  readonly fault: "reset" | "hang" | "malformed_json" | "html" | "empty" | "large" | "slow_drip";
  readonly headers?: Readonly<Record<string, string>>;
}

export type Action = FakeReply | RawReply | Fault;
export type Responder = Action | ((request: SeenRequest) => Action | Promise<Action>);
