import { type ClientRequest, type IncomingMessage, request as overHttp } from "node:http";
import { request as overHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { readWhole } from "../../runtime/grown-bytes.ts";
import { REPLY_BYTES, UnusableAnswer } from "./answer-protocol.ts";

/** An address that was looked up and may be connected to. */
export interface PinnedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

export interface Post {
  readonly url: URL;
  /** The host is looked up no more: it leads here, whatever a name server says meanwhile. */
  readonly pinned: readonly PinnedAddress[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface Posted {
  readonly status: number;
  readonly content_type: string;
  /** Undefined: it is no plain body. */
  readonly content_encoding: string | undefined;
  readonly retry_after: string | undefined;
  /** Undefined: it has more bytes than are read. */
  readonly body: Uint8Array | undefined;
}

/** The host of an address without the brackets of IPv6. */
export const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "");

class TooLong extends Error {}

/**
 * One POST over a connection of its own. No redirect is followed and no proxy is asked, whatever the environment says.
 * @throws the error of the connection, the signal's reason
 */
export async function postOnce({ url, pinned, headers, body }: Post, signal: AbortSignal): Promise<Posted> {
  signal.throwIfAborted();
  const host = bareHost(url);
  const sent = (url.protocol === "https:" ? overHttps : overHttp)({
    method: "POST",
    protocol: url.protocol,
    hostname: host,
    port: url.port,
    path: url.pathname + url.search,
    headers: { ...headers, host: url.host, "content-length": body.byteLength, connection: "close" },
    agent: false,
    lookup: pinnedTo(pinned),
    ...(isIP(host) === 0 && { servername: host }),
  });
  const abort = () => sent.destroy(new Error("aborted"));
  signal.addEventListener("abort", abort, { once: true });
  try {
    const reply = await replyTo(sent, body);
    return await read(reply);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
    sent.destroy();
  }
}

const pinnedTo =
  (pinned: readonly PinnedAddress[]): LookupFunction =>
  (_host, options, done) => {
    const [first] = pinned;
    if (options.all) done(null, [...pinned]);
    else if (first) done(null, first.address, first.family);
    else done(new Error("no address"), "", 0);
  };

const replyTo = (sent: ClientRequest, body: Uint8Array): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    sent.once("response", resolve);
    sent.on("error", reject);
    sent.once("upgrade", ({ statusCode }, socket) => {
      socket.destroy();
      reject(new UnusableAnswer("endpoint_failed", `it answered ${statusCode}, another protocol`));
    });
    // Whatever else ends it: nobody must wait for what cannot come any more.
    sent.once("close", () => reject(new Error("the connection was cut")));
    send(sent, body);
  });

/** Bytes that are handed over at once; the event loop stands still meanwhile. */
const PIECE_BYTES = 64 * 1024;

/** As fast as they are taken, and in turns with others. */
function send(sent: ClientRequest, body: Uint8Array): void {
  if (sent.destroyed) return;
  if (body.byteLength <= PIECE_BYTES) return void sent.end(body);
  const rest = () => send(sent, body.subarray(PIECE_BYTES));
  if (sent.write(body.subarray(0, PIECE_BYTES))) setImmediate(rest);
  else sent.once("drain", rest);
}

async function read(reply: IncomingMessage): Promise<Posted> {
  const { "content-type": content_type = "", "content-encoding": content_encoding } = reply.headers;
  const { "retry-after": retry_after } = reply.headers;
  const body = await readWhole(reply, REPLY_BYTES, () => new TooLong()).catch((error: unknown) => {
    if (error instanceof TooLong) return undefined;
    throw error;
  });
  if (body !== undefined && !reply.complete) throw new Error("the connection was cut");
  return { status: reply.statusCode ?? 0, content_type, content_encoding, retry_after, body };
}
