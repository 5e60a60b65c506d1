import type { WireName } from "../../domain/external-agent.ts";
import { asRecord, type LooseRecord, parseJson } from "../../domain/lenient.ts";
import { splitModelRef } from "../model/model-ref.ts";
import type { Take, Upstream, UpstreamRequest } from "../model/upstream.ts";
import { harmlessCall } from "../wire/harmless-call.ts";
import { readRequest } from "../wire/read-request.ts";
import { sayOnce } from "../wire/say-once.ts";
import type { WireRequest } from "../wire/wire.ts";

/**
 * A provider of our own, which costs nothing. It has the agent make one call that does nothing, where it can, and answers with one word
 * after that. `onAsked` is called for each request.
 */
export const mockUpstream = (
  ref: string,
  wire: WireName,
  onAsked: (request: WireRequest, body: string) => void,
): Upstream => ({
  model: splitModelRef(ref).model,
  wire,
  conceal: (text) => text,
  async send<T>({ path, body, aside }: UpstreamRequest, take: Take<T>): Promise<T> {
    const json: LooseRecord = asRecord(parseJson(body ?? "{}")) ?? {};
    const request = readRequest(wire, path, json);
    if (!aside) onAsked(request, String(body ?? ""));
    const call = request.results.length === 0 ? harmlessCall(json) : undefined;
    const said = sayOnce(wire, request, call === undefined ? { text: "Done." } : { call });
    const headers = new Headers({ "content-type": said.content_type });
    return await take.reply({ status: 200, headers, chunks: once(Buffer.from(said.body)) });
  },
});

async function* once(bytes: Uint8Array) {
  yield bytes;
}
