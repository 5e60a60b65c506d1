import type { ServerResponse } from "node:http";
import { wordsOf } from "../../../domain/failure.ts";
import { GrownBytes } from "../../../runtime/grown-bytes.ts";
import type { ReplyStream } from "../../model/reply-stream.ts";
import type { RefusedRequest, Upstream } from "../../model/upstream.ts";
import { editRequest } from "../../wire/edit-request.ts";
import type { AgentLog } from "../log/agent-log.ts";
import { concealed, passedHeaders, passRefusal } from "./passed.ts";
import { type AgentRequest, refuse } from "./provider-proxy.ts";

interface AsideParts {
  readonly upstream: Upstream;
  readonly log: Pick<AgentLog, "unsupported">;
  readonly without_provider_tools: boolean;
  readonly redact: (text: string) => string;
}

/** Counting tokens and listing models cost nothing and decide nothing. */
export async function answerAside(parts: AsideParts, request: AgentRequest, response: ServerResponse): Promise<void> {
  const { upstream } = parts;
  const { route, method, path, headers, body, signal } = request;
  const forced =
    body &&
    editRequest(route.wire, path, body, {
      model: upstream.model,
      without_provider_tools: parts.without_provider_tools,
    });
  if (forced?.unsupported != null) return parts.log.unsupported(forced.unsupported);
  const sent = {
    method,
    path: forced?.path ?? path,
    headers,
    body: forced && JSON.stringify(forced.body),
    aside: true,
  };
  const take = {
    reply: async ({ status, headers: given, chunks }: ReplyStream) => {
      const told = concealed(await wholeOf(chunks), upstream);
      response.writeHead(status, passedHeaders(given, upstream)).end(told);
    },
    refused: async (refusal: RefusedRequest) => passRefusal(refusal, response, upstream),
  };
  try {
    await upstream.send(sent, take, { signal });
  } catch (error) {
    signal.throwIfAborted();
    const message = wordsOf(error);
    refuse(response, route.wire, { status: 502, message: parts.redact(message) });
  }
}

/** The whole body, since a key may be split between two chunks. Replies to turns pass in whole events, which hold whole keys. */
async function wholeOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const kept = new GrownBytes();
  for await (const chunk of chunks) {
    kept.add(chunk);
    if (kept.length > MAX_ASIDE_BYTES) throw new Error("the provider's reply is larger than abeval reads");
  }
  return kept.take();
}

/** The longest lists of models have some megabytes. */
const MAX_ASIDE_BYTES = 16 * 1024 * 1024;
