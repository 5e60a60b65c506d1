import { RESULTS_BODY_BYTES } from "../../domain/defaults.ts";
import { Failure } from "../../domain/failure.ts";
import { ownTurn } from "../../runtime/pace.ts";
import { UnreadableRequest } from "./error.ts";
import { TABLE_TYPES, type TableBody } from "./routes/results-routes.ts";

/** @throws Failure `body_too_large`, `invalid_request` (400 when it ends too early) */
export async function readBytes(request: Request, most: number): Promise<Uint8Array> {
  const tooLarge = () => new Failure("body_too_large", `the body may hold ${most} bytes`);
  if (Number(request.headers.get("content-length")) > most) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > most) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    // Thousands of clients may go away at once.
    await ownTurn();
    // The client went away, or sent less than it announced: the fault is not ours.
    throw error instanceof Failure ? error : new UnreadableRequest("the body ended too early", { cause: error });
  }
  return Buffer.concat(chunks);
}

/** @throws Failure `unsupported_media_type`, `body_too_large`, `invalid_request` (400 when it is not UTF-8) */
export async function readTableBody(request: Request): Promise<TableBody> {
  const type = request.headers.get("content-type") ?? "";
  const [, named = ""] = /^([a-z/-]+)\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?(?:;\s*header=\w+\s*)?$/i.exec(type) ?? [];
  const form = TABLE_TYPES[named.toLowerCase()];
  if (form === undefined)
    throw new Failure(
      "unsupported_media_type",
      `send the table as ${Object.keys(TABLE_TYPES).join(" or ")}, not ${type || "without a type"}`,
    );
  const bytes = await readBytes(request, RESULTS_BODY_BYTES);
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), form };
  } catch (error) {
    throw new UnreadableRequest("the table is not UTF-8 text", { cause: error });
  }
}
