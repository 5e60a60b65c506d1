import { isMalformed, readBoundedJson } from "../../domain/bounded-json.ts";
import { PROVIDER_TRIES } from "../../domain/defaults.ts";
import { asRecord, dig, isNested, type LooseRecord, parseJson } from "../../domain/lenient.ts";
import type { Clock } from "../../runtime/clock.ts";
import { isRetryable, TryFailed } from "./failed-try.ts";

/**
 * Bytes of a reply that are read. The longest answers of today's models are below 1 MB; a server that sends more is
 * not answering.
 */
const MAX_REPLY_BYTES = 4 * 1024 * 1024;

/** Milliseconds waited at most because a server asks for it; beyond a minute its quota, not its load, is the matter. */
const MAX_WAIT_MS = 60_000;

/** Values in a reply. A model says fewer in all that it may write. */
const MAX_REPLY_VALUES = 100_000;

/** Bytes of a refusal that are looked at. Those of the usual servers are below 2 kB, and pages of gateways below 30 kB. */
const MAX_REFUSAL_BYTES = 128 * 1024;

/** Levels of nesting in a refusal. Those of the usual servers have three. */
const LEVELS = 64;

/**
 * Reads a reply to its end and gives the SDK one that it can take as it is. Left to themselves the SDKs read without a
 * bound, do not repeat a reply that breaks off or is no JSON, and one ends its timeout when the headers have come.
 *
 * @throws TryFailed for a reply that breaks off, is too large or no JSON object.
 */
export async function readReply(reply: Response, clock: Clock): Promise<Response> {
  const bytes = await readBounded(reply);
  const json = readReplyJson(bytes);
  const body = "value" in json ? asRecord(json.value) : undefined;
  const status = (reply.ok ? reportedStatus(body) : undefined) ?? reply.status;
  const headers = { "content-type": "application/json" };
  // What no Response can be made of.
  if (status > 599) throw new TryFailed({ kind: "status", status, words: refusalText(bytes) });
  if (status >= 300) {
    const words = refusalText(bytes);
    const retry = retryHeaders({ status, words, headers: reply.headers }, clock);
    // The SDKs write the body anew into the message of their error, which overflows the stack for one that is nested deep.
    const told = isNested(parseJson(words), LEVELS) ? null : words || null;
    return new Response(told, { status, headers: { ...headers, ...retry } });
  }
  if ("fault" in json && !isMalformed(json.fault))
    throw new TryFailed({ kind: "too_large", status, fault: json.fault });
  if (body === undefined) throw new TryFailed({ kind: "not_json", status, words: refusalText(bytes) });
  return new Response(bytes, { headers });
}

const readReplyJson = (bytes: Uint8Array) =>
  // How deep a call's input is, is the model's matter: it is told.
  readBoundedJson(bytes, { bytes: MAX_REPLY_BYTES, values: MAX_REPLY_VALUES, levels: MAX_REPLY_VALUES });

/** What a reply says that is no answer, as far as it is looked at. */
export const refusalText = (bytes: Uint8Array): string =>
  new TextDecoder().decode(bytes.subarray(0, MAX_REFUSAL_BYTES));

/** The whole reply. @throws TryFailed when it breaks off or is too large */
export async function readBounded(reply: Response): Promise<Uint8Array<ArrayBuffer>> {
  const { status } = reply;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of reply.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > MAX_REPLY_BYTES) throw new TryFailed({ kind: "too_large", status, fault: "more than 4 MiB" });
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof TryFailed ? error : new TryFailed({ kind: "broken_off", status, cause: error });
  }
  return Buffer.concat(chunks);
}

/** Some gateways report the failure of the provider behind them with status 200. */
function reportedStatus(body: LooseRecord | undefined): number | undefined {
  if (
    asRecord(body?.["error"]) === undefined ||
    dig(body, "choices") !== undefined ||
    dig(body, "content") !== undefined
  )
    return undefined;
  const code = Number(dig(body, "error", "code"));
  return Number.isInteger(code) && code >= 400 && code <= 599 ? code : 502;
}

/** Whether the SDK will try again after this reply, as far as its tries last. */
export const isRepeated = (reply: Response): boolean => reply.headers.get("x-should-retry") === "true";

/** A reply that is no answer. `words` is what the provider sent, as it came. */
interface Refusal {
  readonly status: number;
  readonly words: string;
  readonly headers: Headers;
}

/** When to try again after a refusal; `wait_ms` absent: whenever the caller likes. */
interface NextTry {
  readonly repeat: boolean;
  readonly wait_ms: number | undefined;
}

/**
 * A server may say no, but cannot have a refusal repeated. 429 is not repeated for an account without credit. Waits beyond
 * a minute are cut.
 */
export function nextTry({ status, words, headers }: Refusal, clock: Clock): NextTry {
  const wait_ms = askedWait(headers, clock);
  const refused = headers.get("x-should-retry") === "false" || (status === 429 && outlastsTries(wait_ms));
  const repeat = !refused && isRetryable({ kind: "status", status, words });
  return { repeat, wait_ms: wait_ms === undefined ? undefined : Math.min(wait_ms, MAX_WAIT_MS) };
}

/**
 * Whether and when the SDK tries again. It goes by these headers before its own rules, which repeat every 429 and 5xx, also
 * of an account without credit. One SDK would obey a wait of up to 24 days, the other not at all.
 */
function retryHeaders(refusal: Refusal, clock: Clock): Record<string, string> {
  const { repeat, wait_ms } = nextTry(refusal, clock);
  return {
    "x-should-retry": String(repeat),
    ...(wait_ms === undefined ? {} : { "retry-after-ms": String(wait_ms) }),
  };
}

/** Milliseconds after which the last try would have been made: a quota that comes back later is not waited for. */
export const QUOTA_WAIT_MS = (PROVIDER_TRIES - 1) * MAX_WAIT_MS;

const outlastsTries = (wait_ms = 0) => wait_ms > QUOTA_WAIT_MS;

/** Milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a date. 0 becomes 1: an SDK takes 0 as not given. */
export function askedWait(headers: Headers, clock: Clock): number | undefined {
  const after = headers.get("retry-after");
  const asked = [
    Number.parseFloat(headers.get("retry-after-ms") ?? ""),
    Number.parseFloat(after ?? "") * 1000,
    Date.parse(after ?? "") - clock.now().getTime(),
  ].find((ms) => Number.isFinite(ms));
  return asked === undefined ? undefined : Math.max(1, Math.ceil(asked));
}
