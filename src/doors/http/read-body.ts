import { RESULTS_BODY_BYTES } from "../../domain/defaults.ts";
import { Failure } from "../../domain/failure.ts";
import { GrownBytes } from "../../runtime/grown-bytes.ts";
import { breathe, ownTurn } from "../../runtime/pace.ts";
import { strictText } from "../../runtime/strict-text.ts";
import type { ApiEndpoint } from "../endpoint/endpoint.ts";
import { ENDPOINTS } from "../endpoint/endpoints.ts";
import { UnreadableRequest } from "./error.ts";

/** Bytes up to which a body is always read. */
const SMALL_BYTES = 64 * 1024;

/** Bytes of all bodies that are read at one time, so that many slow clients do not fill the memory. */
const ALL_MIB = 64;
let held_bytes = 0;

/** @throws Failure `body_too_large`, `overloaded`, `invalid_request` (400 when it ends too early) */
export async function readBytes(request: Request, most: number): Promise<Uint8Array> {
  const tooLarge = () => new Failure("body_too_large", `the body may hold ${most} bytes`);
  if (Number(request.headers.get("content-length")) > most) throw tooLarge();
  // Not the chunks themselves: those of a byte each would take a hundred times as much.
  const body = new GrownBytes();
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      held_bytes += chunk.byteLength;
      if (size > most) throw tooLarge();
      if (size > SMALL_BYTES && held_bytes > ALL_MIB * 1024 * 1024) throw crowded();
      body.add(chunk);
      // Chunks that are there already come without a turn for anybody else.
      await breathe();
    }
  } catch (error) {
    // Thousands of clients may go away at once.
    await ownTurn();
    // The client went away, or sent less than it announced: the fault is not ours.
    throw error instanceof Failure ? error : new UnreadableRequest("the body ended too early", { cause: error });
  } finally {
    held_bytes -= size;
  }
  return body.take();
}

const crowded = () =>
  new Failure("overloaded", `the bodies that are being read hold ${ALL_MIB} MiB; send yours again later`, {
    retryable: true,
  });

/** Where a body is a table. */
export const TABLE_PATHS: ReadonlySet<string | undefined> = new Set(
  Object.values<ApiEndpoint>(ENDPOINTS).flatMap(({ route, table }) => (table ? [route.split(" ")[1]] : [])),
);

/** The types of a table. A page of another site cannot send one without asking the browser first. */
const TABLE_TYPES: Readonly<Record<string, "csv" | "jsonl">> = {
  "text/csv": "csv",
  "application/x-ndjson": "jsonl",
  "application/jsonl": "jsonl",
};

/** @throws Failure `unsupported_media_type`, `body_too_large`, `invalid_request` (400 when it is not UTF-8) */
export async function readTableBody(request: Request) {
  const type = request.headers.get("content-type") ?? "";
  const [, named = ""] = /^([a-z/-]+)\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?(?:;\s*header=\w+\s*)?$/i.exec(type) ?? [];
  const form = TABLE_TYPES[named.toLowerCase()];
  if (form === undefined)
    throw new Failure(
      "unsupported_media_type",
      `send the table as ${Object.keys(TABLE_TYPES).join(" or ")}, not ${type || "without a type"}`,
    );
  const text = strictText(await readBytes(request, RESULTS_BODY_BYTES));
  if (text === undefined) throw new UnreadableRequest("the table is not UTF-8 text");
  return { text, form };
}
