import type { Message } from "../../../src/arms/model/client.ts";
import { asRecord, asRecords, asText, type LooseRecord, parseJson } from "../../../src/domain/lenient.ts";
import type { FakeReply, ReplyCall, ReplyUsage, SeenRequest } from "../exchange.ts";

export type Seen = Pick<SeenRequest, "model" | "stream" | "system" | "messages" | "tools" | "force_tool">;

/** A reply of which nothing is left out. */
export interface WholeReply {
  readonly id: string;
  readonly model: string;
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly WholeCall[];
  readonly stop: NonNullable<FakeReply["stop"]>;
  readonly usage: Required<ReplyUsage>;
}

export interface WholeCall extends ReplyCall {
  readonly id: string;
  /** `input` as JSON, or the raw text in its place. */
  readonly arguments: string;
  /** No id was chosen for it. */
  readonly unnamed: boolean;
}

/** One event of a reply in pieces, as it goes out. */
export interface Piece {
  readonly text: string;
  /** It belongs to a tool call. */
  readonly call: boolean;
}

/** How a provider reads and writes its wire format, after its documents. */
export interface Form {
  readonly read: (body: LooseRecord, path: string) => Seen;
  readonly reply: (request: SeenRequest, reply: WholeReply) => LooseRecord;
  readonly pieces: (request: SeenRequest, reply: WholeReply) => readonly Piece[];
  readonly error: (status: number, message: string) => LooseRecord;
  /** What it answers when it is asked how many tokens a request has. */
  readonly count: (tokens: number) => LooseRecord;
}

export function wholeReply(request: SeenRequest, reply: FakeReply): WholeReply {
  const { thinking = "", text = "", calls = [] } = reply;
  const { in: all, out, cached = 0, written = 0, thinking: thought = 0 } = reply.usage ?? guessUsage(request, reply);
  return {
    id: `${request.index}`,
    model: reply.model ?? request.model,
    thinking,
    text,
    calls: calls.map((call, i) => ({
      ...call,
      id: call.id ?? `call_${request.index}_${i}`,
      arguments: call.arguments ?? JSON.stringify(call.input),
      unnamed: call.id === undefined,
    })),
    stop: reply.stop ?? (calls.length > 0 ? "calls" : "end"),
    usage: { in: all, out, cached, written, thinking: thought },
  };
}

function guessUsage({ body }: SeenRequest, { thinking = "", text, calls }: FakeReply): ReplyUsage {
  const out = Math.ceil(JSON.stringify([text, calls]).length / 4);
  const thought = Math.ceil(thinking.length / 4);
  return { in: countTokens(body), out: out + thought, thinking: thought };
}

export const countTokens = (body: LooseRecord): number => Math.ceil(JSON.stringify(body).length / 4);

/** Pieces of a text, as models write it: several, and none of them empty. */
export function piecesOf(text: string): string[] {
  const size = Math.max(1, Math.ceil(text.length / 3));
  return text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
}

export const named = (event: string, data: LooseRecord, call = false): Piece => ({
  text: `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`,
  call,
});

export const unnamed = (data: LooseRecord | string, call = false, end = "\n\n"): Piece => ({
  text: `data: ${typeof data === "string" ? data : JSON.stringify(data)}${end}`,
  call,
});

export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return asRecords(content)
    .map(({ text }) => asText(text) ?? "")
    .join("");
}

/** Some wire formats have one message for each result, or for each call. */
export function joinMessages(messages: readonly Message[]): Message[] {
  const joined: Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === "tool" && last?.role === "tool") {
      joined[joined.length - 1] = { role: "tool", results: [...last.results, ...message.results] };
    } else if (message.role === "assistant" && last?.role === "assistant") {
      const calls = [...last.calls, ...message.calls];
      joined[joined.length - 1] = { role: "assistant", text: last.text + message.text, calls };
    } else joined.push(message);
  }
  return joined;
}

export function parseBody(text: string): LooseRecord | undefined {
  return asRecord(parseJson(text));
}
