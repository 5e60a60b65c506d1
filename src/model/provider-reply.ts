import type { Clock } from "../clock.ts";
import { PROVIDER_TRIES } from "../domain/defaults.ts";
import { isFinalStatus } from "./hopeless.ts";
import { asRecord, dig, type LooseRecord, parseJson } from "./lenient.ts";

/**
 * Bytes of a reply that are read. The longest answers of today's models are below 1 MB; a server that sends more is
 * not answering.
 */
const MAX_REPLY_BYTES = 4 * 1024 * 1024;

/** Milliseconds waited at most because a server asks for it; beyond a minute its quota, not its load, is the matter. */
const MAX_WAIT_MS = 60_000;

const RETRYABLE_STATUSES: readonly number[] = [408, 409, 429];

export interface FailedTry {
  /** `status`: the provider said no. The others: it said nothing that could be read. */
  readonly kind: "status" | "connection" | "timeout" | "not_json" | "too_large" | "redirect";
  /** HTTP status; null when the connection failed or timed out. */
  readonly status: number | null;
  readonly retryable: boolean;
  /** The body of the reply, as it came: may hold secrets. */
  readonly words: string;
  /** The error behind a failed connection: may hold addresses. */
  readonly cause?: unknown;
}

export type ReadTry =
  | { readonly answer: LooseRecord }
  | {
      readonly failed: FailedTry;
      /** Worth another try, also in the server's opinion. */
      readonly repeat: boolean;
      /** What the SDK gets to see: headers that say whether and when to repeat. */
      readonly response: Response;
    };

/** Reads a reply to its end and decides whether it is an answer. @throws when the try timed out while reading. */
export async function readTry(response: Response, clock: Clock): Promise<ReadTry> {
  const body = await readBody(response);
  const read = "broken" in body ? { failed: body.broken } : readAnswer(response.status, body);
  if ("answer" in read) return read;
  const { failed } = read;
  const wait_ms = askedWait(response.headers, clock);
  const refused = response.headers.get("x-should-retry") === "false" || outlastsTries(failed, wait_ms);
  const repeat = failed.retryable && !refused;
  return { failed, repeat, response: failureResponse(failed, repeat, wait_ms) };
}

/** A quota that comes back after the last try would have been made. */
const outlastsTries = ({ status }: FailedTry, wait_ms = 0) =>
  status === 429 && wait_ms > (PROVIDER_TRIES - 1) * MAX_WAIT_MS;

interface Body {
  readonly text: string;
  readonly whole: boolean;
}

async function readBody(response: Response): Promise<Body | { readonly broken: FailedTry }> {
  try {
    return isBounded(response.headers) ? { text: await response.text(), whole: true } : await readCounting(response);
  } catch (error) {
    if (isAbort(error)) throw error;
    const broken: FailedTry = { kind: "connection", status: response.status, retryable: true, words: "", cause: error };
    return { broken };
  }
}

/** More than it announced does not arrive. Of a packed or chunked body no length is known. Read at once, it costs half. */
const isBounded = (headers: Headers) =>
  Number(headers.get("content-length") ?? Number.NaN) <= MAX_REPLY_BYTES &&
  !headers.has("content-encoding") &&
  !headers.has("transfer-encoding");

async function readCounting(response: Response): Promise<Body> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_REPLY_BYTES) return { text, whole: false };
    text += decoder.decode(chunk, { stream: true });
  }
  return { text: text + decoder.decode(), whole: true };
}

type Answer = { readonly answer: LooseRecord } | { readonly failed: FailedTry };

function readAnswer(status: number, { text, whole }: Body): Answer {
  const failed = (failure: Omit<FailedTry, "status">): Answer => ({ failed: { ...failure, status } });
  if (!whole) return failed({ kind: "too_large", retryable: false, words: "" });
  if (status >= 300 && status < 400) return failed({ kind: "redirect", retryable: false, words: "" });
  if (status < 200 || status >= 400)
    return failed({ kind: "status", retryable: isRetryable(status, text), words: text });
  const answer = asRecord(parseJson(text));
  // A page instead of an answer means the wrong address and stays a page; half an answer may be whole next time.
  if (answer === undefined)
    return failed({ kind: "not_json", retryable: !text.trimStart().startsWith("<"), words: text });
  const hidden = hiddenFailure(answer, text);
  return hidden ? { failed: hidden } : { answer };
}

/** Some gateways report the failure of the provider behind them with status 200. */
function hiddenFailure(body: LooseRecord, words: string): FailedTry | undefined {
  if (asRecord(dig(body, "error")) === undefined || "choices" in body || "content" in body) return undefined;
  const code = Number(dig(body, "error", "code"));
  const status = isErrorStatus(code) ? code : 502;
  return { kind: "status", status, retryable: isRetryable(status, words), words };
}

function isErrorStatus(status: number | null): status is number {
  return Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599;
}

function isRetryable(status: number, words: string): boolean {
  return (status >= 500 || RETRYABLE_STATUSES.includes(status)) && !isFinalStatus(status, words);
}

/**
 * The SDKs obey `x-should-retry` before their own rules, so the decision is made once, here; a server may say no, but
 * cannot have a refusal repeated. Waits beyond a minute are cut: one SDK would obey up to 24 days, the other not at all.
 */
function failureResponse(failed: FailedTry, repeat: boolean, wait_ms: number | undefined): Response {
  return new Response(failed.words, {
    status: isErrorStatus(failed.status) ? failed.status : 502,
    headers: {
      "content-type": "application/json",
      "x-should-retry": String(repeat),
      ...(wait_ms === undefined ? {} : { "retry-after-ms": String(Math.min(wait_ms, MAX_WAIT_MS)) }),
    },
  });
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date. 0 becomes 1: an SDK takes 0 as not given. */
function askedWait(headers: Headers, clock: Clock): number | undefined {
  const after = headers.get("retry-after");
  const asked = [
    Number.parseFloat(headers.get("retry-after-ms") ?? ""),
    Number.parseFloat(after ?? "") * 1000,
    Date.parse(after ?? "") - clock.now().getTime(),
  ].find((ms) => Number.isFinite(ms));
  return asked === undefined ? undefined : Math.max(1, Math.ceil(asked));
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}
