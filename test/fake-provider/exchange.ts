import type { Message, ModelReply } from "../../src/arms/model/client.ts";

/** The wire formats that the fake provider speaks: Anthropic's messages, OpenAI's two, Gemini's generateContent. */
export type Wire = "anthropic" | "chat" | "responses" | "gemini";

export interface SeenTool {
  readonly name: string;
  /** As the wire names it: `function`, `custom`, `web_search`, … */
  readonly type: string;
  readonly description: string;
  readonly input: unknown;
}

/** A request as a provider sees it, in words that do not depend on its wire format. */
export interface SeenRequest {
  /** 0 for the first request that the server got. */
  readonly index: number;
  readonly wire: Wire;
  /** With its query. */
  readonly path: string;
  readonly model: string;
  /** A reply in pieces was asked for. */
  readonly stream: boolean;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly SeenTool[];
  readonly force_tool: string | undefined;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it was sent. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ReplyCall {
  /** Absent: one that is made up; on Gemini's wire none. */
  readonly id?: string;
  readonly name: string;
  readonly input?: unknown;
  /** Raw arguments in place of `input`; only OpenAI's wire formats can carry text that is no JSON. */
  readonly arguments?: string;
}

/** Tokens; `in` is all input, `cached` the part of it read from a cache, `written` the part written to it. */
export interface ReplyUsage {
  readonly in: number;
  /** With those of `thinking`. */
  readonly out: number;
  readonly cached?: number;
  readonly written?: number;
  readonly thinking?: number;
}

/** An answer. Whatever is left out gets a plausible value. */
export interface FakeReply {
  /** What the model thought before it answered, where the wire format has a place for it. */
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly ReplyCall[];
  readonly stop?: ModelReply["stop"];
  readonly usage?: ReplyUsage;
  readonly model?: string;
  /** Waited before answering. */
  readonly delay_ms?: number;
  /** Breaks a reply in pieces: before its first call, or after its last one but before it has ended. */
  readonly breaks?: { readonly at: "before_calls" | "after_calls"; readonly silence_ms?: number };
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

/** A status other than 200, with an error in the form of the wire that was spoken. */
interface Refusal {
  readonly refuse: number;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What servers do when they break. `headers` go out where a reply begins at all. */
export interface Fault {
  readonly fault: "reset" | "hang" | "malformed_json" | "html" | "empty" | "large" | "slow_drip";
  readonly headers?: Readonly<Record<string, string>>;
}

export type Action = FakeReply | RawReply | Refusal | Fault;
export type Responder = Action | ((request: SeenRequest) => Action | Promise<Action>);
