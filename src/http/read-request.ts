import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { BODY_BYTES } from "../domain/defaults.ts";
import { Failure } from "../domain/failure.ts";
import { checkInput } from "../operation/check-input.ts";
import { UnreadableRequest } from "./unreadable-request.ts";

/**
 * The body as the schema says.
 * @throws Failure `unsupported_media_type`, `body_too_large`, `invalid_request` (400 when it is no JSON)
 */
export async function readBody<Body extends TSchema>(request: Request, schema: Body): Promise<Static<Body>> {
  requireJson(request);
  const bytes = await readBytes(request).catch((error: unknown) => {
    // The client went away, or sent less than it announced: nobody of ours is at fault.
    throw error instanceof Failure ? error : new UnreadableRequest("the body ended too early", { cause: error });
  });
  return checkInput(schema, parse(bytes));
}

/**
 * A form of another site can send text/plain or form data without asking first; JSON it cannot. So this is what keeps a
 * web page from starting a run.
 */
function requireJson(request: Request): void {
  const type = request.headers.get("content-type") ?? "";
  if (/^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type)) return;
  throw new Failure("unsupported_media_type", `send the body as application/json, not ${type || "without a type"}`);
}

async function readBytes(request: Request): Promise<Uint8Array> {
  const announced = Number(request.headers.get("content-length") ?? Number.NaN);
  if (announced > BODY_BYTES) throw tooLarge();
  // No more than that can come; a stream of it would cost more than all else that is done with a body.
  if (announced >= 0) return await request.bytes();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > BODY_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const tooLarge = () => new Failure("body_too_large", `the body may hold ${BODY_BYTES} bytes`);

function parse(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) throw new UnreadableRequest("the body is empty; send a JSON object");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message.slice(0, 200) : "it is not UTF-8";
    throw new UnreadableRequest(`the body is not JSON: ${reason}`, { cause: error });
  }
}

/**
 * The query as the schema says; integers are read as such.
 * @throws Failure `invalid_request`, also for a field given twice.
 */
export function readQuery<Query extends TObject>(request: Request, schema: Query): Static<Query> {
  const given: Record<string, unknown> = {};
  for (const [name, text] of new URL(request.url).searchParams) {
    if (Object.hasOwn(given, name))
      throw new Failure("invalid_request", `${name.slice(0, 64)} is given twice`, { details: { field: name } });
    // Defined, not assigned: `__proto__` is a name like any other here.
    Object.defineProperty(given, name, { value: typed(schema, name, text), enumerable: true });
  }
  return checkInput(schema, given);
}

function typed({ properties }: TObject, name: string, text: string): string | number {
  const isInteger = Object.hasOwn(properties, name) && properties[name]?.["type"] === "integer";
  return isInteger && /^\d{1,15}$/.test(text) ? Number(text) : text;
}
