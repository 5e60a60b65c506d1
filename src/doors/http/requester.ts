import { isUtf8 } from "node:buffer";
import { plainText } from "../../domain/plain-text.ts";
import { USER_CHARS } from "../../domain/schema.ts";
import { sha256 } from "../../domain/sha256.ts";
import type { Requester, Services } from "../operation/operation.ts";
import { UnreadableRequest } from "./error.ts";

/** Characters of a key. */
const MAX_KEY = 255;

/** Who asks, as the headers tell. `user_header` is the one in which a proxy names the user. @throws UnreadableRequest */
export function requesterOf(
  { clock }: Pick<Services, "clock">,
  { request, body }: { readonly request: Request; readonly body: unknown },
  user_header: string | undefined,
): Requester {
  const given = request.headers.get(KEY_HEADER);
  const user = user_header === undefined ? undefined : userIn(request.headers.get(user_header) ?? "");
  if (given === null) return { user };
  const asked = `${new URL(request.url).pathname} ${JSON.stringify(body)}`;
  const key = sha256(JSON.stringify([keyIn(given), user ?? null]));
  return { user, key: { key, request: sha256(asked), at: clock.now().toISOString() } };
}

/** A name as text in one line; undefined when nothing is left of it. Headers arrive as bytes, and proxies write UTF-8. */
function userIn(given: string): string | undefined {
  const bytes = Buffer.from(given, "latin1");
  const name = isUtf8(bytes) ? bytes.toString() : given;
  return plainText(name).replace(/\s+/g, " ").trim().slice(0, USER_CHARS).toWellFormed() || undefined;
}

const SECRET = /^(authorization|proxy-authorization|cookie)$/i;

/** Whether names may be read from a header: one that a proxy can set, and that holds no password. */
export const isUserHeader = (name: string): boolean => /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name) && !SECRET.test(name);

const KEY_HEADER = "idempotency-key";

/**
 * A string of RFC 8941, as draft-ietf-httpapi-idempotency-key-header has it; also the bare value that many clients send.
 * @throws UnreadableRequest
 */
function keyIn(given: string): string {
  const [, quoted, bare] = /^(?:"((?:[ !#-[\]-~]|\\["\\])*)"|([!#-+\--:<-[\]-~]*))$/.exec(given) ?? [];
  const key = quoted?.replace(/\\(.)/g, "$1") ?? bare;
  if (key === undefined)
    throw new UnreadableRequest('Idempotency-Key is not one string of printable ASCII, such as "8e03978e-40d5-43e8"');
  if (key === "") throw new UnreadableRequest("Idempotency-Key is empty");
  if (key.length <= MAX_KEY) return key;
  throw new UnreadableRequest(`Idempotency-Key has ${key.length} characters; ${MAX_KEY} at most`);
}

/** For the document of a route that takes a key. */
export const KEY_PARAMETER = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Chosen by the client, such as a UUID, for each new request. The same request with the same key, within 24 hours, starts nothing new: it is answered with what the first one started.",
  schema: { type: "string", maxLength: MAX_KEY },
  example: '"8e03978e-40d5-43e8-bc93-6894a57f9324"',
} as const;
