import { PROVIDER_TRIES } from "../../domain/defaults.ts";
import { asRecord, dig, isNested, type LooseRecord, parseJson } from "../../domain/lenient.ts";
import { isMalformed, readBoundedJson } from "../../runtime/bounded-json.ts";
import type { Clock } from "../../runtime/clock.ts";
import { readWhole } from "../../runtime/grown-bytes.ts";
import { isRetryable, TryFailed } from "./failed-try.ts";

/**
 * Bytes of a reply that are read. The longest answers of today's models are below 1 MB, so a server that sends more is
 * not a model's API.
 */
const MAX_REPLY_BYTES = 4 * 1024 * 1024;

/** The most milliseconds to wait at a server's request; a longer wait is about a quota, not about load. */
const MAX_WAIT_MS = 60_000;

/** JSON values in a reply. A model's longest reply has fewer. */
const MAX_REPLY_VALUES = 100_000;

/** Bytes of a refusal that are read. Those of the usual servers are below 2 kB, and gateways' pages below 30 kB. */
const MAX_REFUSAL_BYTES = 128 * 1024;

/** Levels of nesting in a refusal. Those of the usual servers have three. */
const LEVELS = 64;

/**
 * Reads a reply to its end and gives the SDK one that it can use directly. By themselves the SDKs read without a
 * limit, do not retry a reply that breaks off or is no JSON, and one ends its timeout once the headers have arrived.
 *
 * @throws TryFailed for a reply that breaks off, is too large or no JSON object.
 */
export async function readReply(reply: Response, clock: Clock): Promise<Response> {
  const bytes = await readBounded(reply);
  const json = readReplyJson(bytes);
  const body = "value" in json ? asRecord(json.value) : undefined;
  const status = (reply.ok ? reportedStatus(body) : undefined) ?? reply.status;
  const headers = { "content-type": "application/json" };
  // A Response cannot have such a status.
  if (status > 599) throw new TryFailed({ kind: "status", status, words: refusalText(bytes) });
  if (status >= 300) {
    const words = refusalText(bytes);
    const retry = retryHeaders({ status, words, headers: reply.headers }, clock);
    // The SDKs copy the body into the message of their error, which overflows the stack for a deeply nested one.
    const told = isNested(parseJson(words), LEVELS) ? null : words || null;
    return new Response(told, { status, headers: { ...headers, ...retry } });
  }
  if ("fault" in json && !isMalformed(json.fault))
    throw new TryFailed({ kind: "too_large", status, fault: json.fault });
  if (body === undefined) throw new TryFailed({ kind: "not_json", status, words: refusalText(bytes) });
  return new Response(bytes, { headers });
}

const readReplyJson = (bytes: Uint8Array) =>
  // The depth of a call's input is the model's mistake, which it is told.
  readBoundedJson(bytes, { bytes: MAX_REPLY_BYTES, values: MAX_REPLY_VALUES, levels: MAX_REPLY_VALUES });

/** The text of a reply that is no answer, cut to what is read. */
export const refusalText = (bytes: Uint8Array): string =>
  new TextDecoder().decode(bytes.subarray(0, MAX_REFUSAL_BYTES));

/** The whole reply. @throws TryFailed when it breaks off or is too large */
export async function readBounded(reply: Response): Promise<Uint8Array<ArrayBuffer>> {
  const { status } = reply;
  const tooLarge = () => new TryFailed({ kind: "too_large", status, fault: "more than 4 MiB" });
  try {
    return await readWhole(reply.body ?? [], MAX_REPLY_BYTES, tooLarge);
  } catch (error) {
    throw error instanceof TryFailed ? error : new TryFailed({ kind: "broken_off", status, cause: error });
  }
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

/** A reply that is no answer. `words` is what the provider sent, as it came. */
interface Refusal {
  readonly status: number;
  readonly words: string;
  readonly headers: Headers;
}

/** When to retry after a refusal; without `wait_ms`, the caller decides. */
interface NextTry {
  readonly repeat: boolean;
  readonly wait_ms: number | undefined;
}

/**
 * A server may forbid a retry but cannot demand one. 429 is not retried for an account without credit. Waits beyond
 * a minute are cut.
 */
export function nextTry({ status, words, headers }: Refusal, clock: Clock): NextTry {
  const wait_ms = askedWait(headers, clock);
  const refused = headers.get("x-should-retry") === "false" || (status === 429 && outlastsTries(wait_ms));
  const repeat = !refused && isRetryable({ kind: "status", status, words });
  return { repeat, wait_ms: wait_ms === undefined ? undefined : Math.min(wait_ms, MAX_WAIT_MS) };
}

/**
 * Whether and when the SDK retries. These headers override its own rules, which retry every 429 and 5xx, also
 * for an account without credit. One SDK would obey a wait of up to 24 days, the other none.
 */
function retryHeaders(refusal: Refusal, clock: Clock): Record<string, string> {
  const { repeat, wait_ms } = nextTry(refusal, clock);
  return {
    "x-should-retry": String(repeat),
    ...(wait_ms === undefined ? {} : { "retry-after-ms": String(wait_ms) }),
  };
}

/** Milliseconds after which the last retry would have been made; a quota that returns later is not waited for. */
export const QUOTA_WAIT_MS = (PROVIDER_TRIES - 1) * MAX_WAIT_MS;

const outlastsTries = (wait_ms = 0) => wait_ms > QUOTA_WAIT_MS;

/** Milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a date. 0 becomes 1, because an SDK takes 0 as absent. */
export function askedWait(headers: Headers, clock: Clock): number | undefined {
  const after = headers.get("retry-after");
  const asked = [
    Number.parseFloat(headers.get("retry-after-ms") ?? ""),
    Number.parseFloat(after ?? "") * 1000,
    Date.parse(after ?? "") - clock.now().getTime(),
  ].find((ms) => Number.isFinite(ms));
  return asked === undefined ? undefined : Math.max(1, Math.ceil(asked));
}
