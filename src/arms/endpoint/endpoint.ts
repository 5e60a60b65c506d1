import type { ArmEndpoint } from "../../domain/answering.ts";
import { PROVIDER_TRIES } from "../../domain/defaults.ts";
import { errorCode, Failure, ofArm, wordsOf } from "../../domain/failure.ts";
import { asText, dig } from "../../domain/lenient.ts";
import { type Clock, startTimer } from "../../runtime/clock.ts";
import { oneLine } from "../arm/decision-log.ts";
import type { ArmRun } from "../arm/run-arm.ts";
import type { Secret } from "../model/redaction.ts";
import { REPLY_BYTES, UnusableAnswer, wrongShape } from "./answer-protocol.ts";
import type { ArmAnswerer, Asking, RawReply } from "./answering-arm.ts";
import { type PinnedAddress, type Posted, postOnce } from "./post.ts";
import { type EndpointRules, reachEndpoint } from "./reachable.ts";

/** What asking endpoints takes besides the arm. */
export interface EndpointServices {
  readonly rules: EndpointRules;
  /** The value of a variable ABEVAL_ENDPOINT_…; undefined where it is not set. */
  readonly header: (variable: string) => Secret | undefined;
  /** Milliseconds before the second try; each further one waits twice as long. */
  readonly retry_ms: number;
  readonly version: string;
}

/** Statuses of whoever stands before the arm: of a gateway, of a quota. */
const OF_PLATFORM: readonly number[] = [429, 502, 503, 504];

/** The longest wait for a next try, whatever is asked for. */
const LONGEST_WAIT_MS = 60_000;

/** Characters of a refusal's body that a message quotes. */
const QUOTED_CHARS = 160;

interface Asker extends Pick<ArmRun, "clock" | "redact"> {
  /** Whose endpoint it is; absent: that of no arm. */
  readonly arm?: Pick<ArmRun["arm"], "id"> | undefined;
}

/** @param signal ends the lookup of its name alone @throws as `reachEndpoint`; Failure `credentials_missing` for a header whose variable is not set */
export async function openEndpoint(
  services: EndpointServices,
  { url, headers_env = {} }: Pick<ArmEndpoint, "url" | "headers_env">,
  { clock, arm, redact }: Asker,
  signal: AbortSignal,
): Promise<ArmAnswerer> {
  const target = new URL(url);
  const own = endpointHeaders(services, headers_env);
  const pinned = await reachEndpoint(target, services.rules, signal).catch((error: unknown) => {
    throw arm ? ofArm(arm.id, error) : error;
  });
  const headers = { ...own, ...FIXED, "user-agent": `abeval/${services.version}` };
  const ask = (body: Uint8Array, asking: Asking) =>
    new Tries({ url: target, pinned, headers, clock, arm, retry_ms: services.retry_ms, redact }, asking).until(body);
  return { ask };
}

const FIXED = {
  "content-type": "application/json",
  accept: "application/json, text/plain",
  "accept-encoding": "identity",
};

/** @throws Failure `credentials_missing`, `invalid_request` */
export function endpointHeaders(
  { header }: Pick<EndpointServices, "header">,
  headers_env: NonNullable<ArmEndpoint["headers_env"]>,
): Readonly<Record<string, string>> {
  const values = Object.entries(headers_env).map(([name, variable]) => {
    const value = header(variable)?.reveal();
    if (value === undefined)
      throw new Failure("credentials_missing", `the header ${name} of an endpoint comes from ${variable}; set it`);
    if (!/^[\x20-\x7e]*$/.test(value))
      throw new Failure("invalid_request", `${variable} holds characters that no header can have`);
    return [name, value] as const;
  });
  return Object.fromEntries(values);
}

interface Target extends Asker {
  readonly url: URL;
  readonly pinned: readonly PinnedAddress[];
  readonly headers: Readonly<Record<string, string>>;
  readonly retry_ms: number;
}

/** What a try came to that says nothing of the arm. */
interface Lost {
  readonly status: number | null;
  readonly words: string;
  readonly wait_ms: number | undefined;
}

/** The tries of one turn. */
class Tries {
  readonly #target: Target;
  readonly #asking: Asking;

  constructor(target: Target, asking: Asking) {
    this.#target = target;
    this.#asking = asking;
  }

  /** @throws UnusableAnswer; Failure `provider_failed` when no try came through; the signal's reason */
  async until(body: Uint8Array): Promise<RawReply> {
    const { clock, retry_ms } = this.#target;
    const { signal, onFailedTry, onRetry } = this.#asking;
    for (let attempts = 1; ; attempts += 1) {
      const began = clock.ticks();
      const tried = await this.#once(body);
      if ("bytes" in tried) return tried;
      if (attempts === PROVIDER_TRIES) throw this.#gaveUp(tried);
      onFailedTry?.();
      await waited(clock, Math.min(tried.wait_ms ?? retry_ms * 2 ** (attempts - 1), LONGEST_WAIT_MS), signal);
      onRetry?.({ status: tried.status, attempts, waited_ms: Math.round(clock.ticks() - began) });
    }
  }

  async #once(body: Uint8Array): Promise<RawReply | Lost> {
    const { url, pinned, headers, redact } = this.#target;
    const { key, signal } = this.#asking;
    try {
      const post = { url, pinned, body, headers: { ...headers, "idempotency-key": key } };
      return replyOf(await postOnce(post, signal), redact);
    } catch (error) {
      if (error instanceof UnusableAnswer || signal.aborted) throw error;
      return this.#lost(error);
    }
  }

  #lost(error: unknown): Lost {
    const code = errorCode(error) ?? asText(dig(error, "cause", "code")) ?? "";
    if (code.startsWith("HPE_")) throw wrongShape("its reply is no HTTP");
    if (/CERT|TLS|SSL|EPROTO|ALTNAME/.test(code)) {
      const { arm } = this.#target;
      const failure = new Failure("setup_failed", `no secure connection to its endpoint: ${wordsOf(error)}`);
      throw arm ? ofArm(arm.id, failure) : failure;
    }
    return {
      status: null,
      words: code === "ECONNREFUSED" ? "refused the connection" : "cut the connection",
      wait_ms: undefined,
    };
  }

  #gaveUp({ status, words }: Lost): Failure {
    const { arm, url } = this.#target;
    const message = `its endpoint at ${url.host} ${words} (${PROVIDER_TRIES} tries)`;
    return new Failure("provider_failed", message, {
      retryable: true,
      details: { ...(arm && { arm_id: arm.id }), status },
    });
  }
}

/** @throws UnusableAnswer */
function replyOf(
  { status, body, content_type, content_encoding, retry_after }: Posted,
  redact: ArmRun["redact"],
): RawReply | Lost {
  if (OF_PLATFORM.includes(status)) return { status, words: `answered ${status}`, wait_ms: secondsIn(retry_after) };
  if (status >= 300 && status < 400)
    throw new UnusableAnswer("endpoint_failed", `it answered ${status}, a redirect, which is not followed`);
  if (body === undefined) throw wrongShape(`its reply has more than ${REPLY_BYTES} bytes`);
  if (status < 200 || status > 299)
    throw new UnusableAnswer("endpoint_failed", `it answered ${status}${quoted(body, redact)}`);
  if (content_encoding !== undefined && content_encoding !== "identity")
    throw wrongShape(`its reply is encoded (${oneLine(redact(content_encoding), 40)}); it was asked for a plain one`);
  const type = (content_type.split(";")[0] ?? "").trim().toLowerCase();
  if (/^application\/(.+\+)?json$/.test(type)) return { bytes: body, form: "json" };
  return { bytes: body, form: type === "text/plain" ? "text" : "either" };
}

/** A secret that is cut is known to nobody any more: what is sent is taken out first. */
function quoted(body: Uint8Array, redact: ArmRun["redact"]): string {
  const line = oneLine(redact(new TextDecoder().decode(body)), QUOTED_CHARS);
  return line === "" ? "" : `: ${line}`;
}

const secondsIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,6}(\.\d+)?$/.test(text) ? Number(text) * 1_000 : undefined;

/** @throws the signal's reason */
async function waited(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  using _timer = startTimer(clock, ms, resolve);
  const stop = () => resolve();
  signal.addEventListener("abort", stop, { once: true });
  await promise;
  signal.removeEventListener("abort", stop);
  signal.throwIfAborted();
}
