import { isMalformed, NO_UTF8, readBoundedJson } from "../../domain/bounded-json.ts";
import { BODY_BYTES } from "../../domain/defaults.ts";
import { Failure, wordsOf } from "../../domain/failure.ts";
import { UnreadableRequest } from "./error.ts";

/** Values of a body, which are counted before it is parsed. */
const BODY_VALUES = 10_000;

/** Levels of a body; our requests have two. */
const MAX_LEVELS = 32;

/** Values on one level of a body; our requests have five. */
const MAX_VALUES = 1_000;

/**
 * The body of a request, which must be JSON. Elysia's own parsers would also take form data and text, which a page of another
 * site may send without asking the browser first: it could then start a run.
 * @throws Failure `unsupported_media_type`, `body_too_large`, `invalid_request` (400 when it is not JSON)
 */
export async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type))
    throw new Failure("unsupported_media_type", `send the body as application/json, not ${type || "without a type"}`);
  const value = parse(await readBytes(request));
  refuseUnprintable(value);
  return value;
}

async function readBytes(request: Request): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length")) > BODY_BYTES) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > BODY_BYTES) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    // The client went away, or sent less than it announced: the fault is not ours.
    throw error instanceof Failure ? error : new UnreadableRequest("the body ended too early", { cause: error });
  }
  return Buffer.concat(chunks);
}

const tooLarge = () => new Failure("body_too_large", `the body may hold ${BODY_BYTES} bytes`);

function parse(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) throw new UnreadableRequest("the body is empty; send a JSON object");
  const read = readBoundedJson(bytes, { bytes: BODY_BYTES, values: BODY_VALUES });
  if ("value" in read) return read.value;
  if (read.fault === NO_UTF8) throw new UnreadableRequest("the body is not JSON: it is not UTF-8");
  if (!isMalformed(read.fault)) throw new Failure("invalid_request", `the body has ${read.fault}`);
  throw new UnreadableRequest(`the body is not JSON: ${syntaxFault(new TextDecoder().decode(bytes))}`);
}

function syntaxFault(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return wordsOf(error).slice(0, 200);
  }
}

/**
 * Elysia writes a value that does not fit into its error. Writing 100,000 levels would overflow the stack, writing an object
 * with a `toString` of its own would fail, and half a million numbers take two seconds.
 */
function refuseUnprintable(value: unknown): void {
  let level = [value].filter(isObject);
  for (let n = 0; level.length > 0; n += 1) {
    if (n === MAX_LEVELS) throw new Failure("invalid_request", `the body has more than ${MAX_LEVELS} levels`);
    if (level.some((item) => Object.hasOwn(item, "toString")))
      throw new Failure("invalid_request", 'unknown field "toString"', { details: { field: "toString" } });
    if (level.reduce((sum, item) => sum + valuesOf(item), 0) > MAX_VALUES)
      throw new Failure("invalid_request", `the body has more than ${MAX_VALUES} values on one level`);
    level = level.flatMap((item) => Object.values(item)).filter(isObject);
  }
}

/** Counted before they are listed, which takes seconds for a long array. */
const valuesOf = (item: object) => (Array.isArray(item) ? item : Object.keys(item)).length;

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
