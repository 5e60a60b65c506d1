import type { ServerResponse } from "node:http";
import type { RefusedRequest, Upstream } from "../../model/upstream.ts";

/** No names of organisations and no quotas. */
const PASSED = ["content-type", "request-id", "x-request-id", "retry-after"];

type Conceals = Pick<Upstream, "conceal">;

export const passedHeaders = (headers: Headers, upstream: Conceals): Record<string, string> =>
  Object.fromEntries(
    PASSED.flatMap((name) => (headers.has(name) ? [[name, upstream.conceal(headers.get(name) ?? "")]] : [])),
  );

/** A provider may quote what it was sent. As Latin-1 all bytes but those of a key stay what they are. */
export function concealed(bytes: Uint8Array, upstream: Conceals): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const told = upstream.conceal(text);
  return told === text ? bytes : Buffer.from(told, "latin1");
}

export function passRefusal(
  { status, headers, words }: RefusedRequest,
  response: ServerResponse,
  upstream: Conceals,
): void {
  const told = { "content-type": "application/json", ...passedHeaders(headers, upstream) };
  response.writeHead(status, told).end(upstream.conceal(words));
}
