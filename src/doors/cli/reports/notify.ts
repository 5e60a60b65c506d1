import { errorCode } from "../../../domain/failure.ts";
import { plainText } from "../../../domain/plain-text.ts";
import { type ParsedArguments, UsageError } from "../flags/parse-arguments.ts";
import type { NOTIFY_FLAGS } from "../flags/service-flags.ts";
import type { PreparedServices } from "../services/services.ts";

/** Milliseconds that one try may take, and how many there are. */
const TRY_MS = 10_000;
const TRIES = 3;

/** A message is read in a chat. */
const MESSAGE_CHARS = 2_000;

interface Message {
  readonly text: string;
  /** Where the result can be read. */
  readonly link: string | undefined;
}

/** The address that was named, checked before anything is spent. Undefined: none was. @throws UsageError, which does not name it */
export function notifyTarget(given: string | undefined, { notify_url }: Pick<PreparedServices, "notify_url">) {
  const address = given ?? notify_url;
  if (address === undefined) return undefined;
  const url = URL.parse(address);
  if (url?.protocol === "https:") return url.href;
  const where = given === undefined ? "ABEVAL_NOTIFY_URL" : "--notify";
  throw new UsageError(`${where}: expected an address that begins with https://`);
}

/** Posts what is found where somebody asked for it. @throws UsageError, as `notifyTarget` */
export function openNotify(
  { value }: Pick<ParsedArguments<keyof typeof NOTIFY_FLAGS>, "value">,
  prepared: Pick<PreparedServices, "notify_url" | "job_url">,
): (id: string, text: string) => Promise<void> {
  const target = notifyTarget(value("notify"), prepared);
  return async (id, text) => await notify(target, { text, link: linkFor(id, value("link"), prepared) });
}

export function linkFor(id: string, given: string | undefined, { job_url }: Pick<PreparedServices, "job_url">) {
  return given?.replaceAll("{id}", id) ?? job_url;
}

/** Posts the message. That it could not be is one warning, which does not name the address; it is never the result's fault. */
async function notify(target: string | undefined, message: Message): Promise<void> {
  if (target === undefined) return;
  const fault = await post(target, message);
  if (fault === undefined) return;
  process.stderr.write(
    plainText(`abeval: --notify: the message did not arrive (${fault}); the result is not affected\n`),
  );
}

/** Why the message did not arrive; undefined when it did. No fault names the address. */
export async function post(target: string, { text, link }: Message): Promise<string | undefined> {
  const shown = text.length > MESSAGE_CHARS ? `${text.slice(0, MESSAGE_CHARS - 1)}…` : text;
  const body = JSON.stringify({ text: link === undefined ? shown : `${shown}\n${link}` });
  let fault: string | undefined;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { again, why } = await postOnce(target, body);
    fault = why;
    if (!again) break;
  }
  return fault;
}

async function postOnce(target: string, body: string): Promise<{ readonly again: boolean; readonly why?: string }> {
  try {
    const response = await fetch(target, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      // Another place would learn the address and the result.
      redirect: "manual",
      signal: AbortSignal.timeout(TRY_MS),
    });
    await response.body?.cancel();
    if (response.ok) return { again: false };
    return { again: response.status === 429 || response.status >= 500, why: `it answered ${response.status}` };
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === "TimeoutError";
    return {
      again: true,
      why: isLate ? `no answer within ${TRY_MS / 1_000} s` : `no connection, ${errorCode(error) ?? "no code"}`,
    };
  }
}
