import { sha256 } from "../../../domain/sha256.ts";
import { pngOf } from "../../operation/pictures.ts";
import type { ReportFile } from "../../operation/reports.ts";
import { isKnown } from "../compress.ts";

/** An arm wrote parts of it: nothing in it runs or loads in the service's origin. */
const INERT = {
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  "x-content-type-options": "nosniff",
};

/** The file is downloaded and never shown in the service's origin. */
export const attached = ({ name, media_type, text }: ReportFile): Response =>
  new Response(text, {
    headers: { "content-type": media_type, "content-disposition": `attachment; filename="${name}"`, ...INERT },
  });

const MEDIA_TYPES = { svg: "image/svg+xml;charset=utf-8", png: "image/png" } as const;

/** A drawing of a result, which a page or a pull request may show as an image. */
export async function picture(request: Request, format: "svg" | "png", svg: string): Promise<Response> {
  const digest = sha256(svg);
  const headers = {
    "content-type": MEDIA_TYPES[format],
    ...INERT,
    // Kept by whoever shows it, and asked for again: a rejudged session has another picture.
    "cache-control": "no-cache",
    etag: `"${digest}"`,
  };
  if (isKnown(request, headers.etag)) return new Response(null, { status: 304, headers });
  const drawn = format === "svg" ? svg : await pngOf(svg, digest, request.signal);
  return new Response(drawn as string | Uint8Array<ArrayBuffer>, { headers }); // made here, in memory of its own
}

/** JSON whose next pieces are made when the client has taken those before. */
export function pieceByPiece(pieces: AsyncGenerator<string>): Response {
  const encoder = new TextEncoder();
  const stream = new ReadableStream({
    async pull(controller) {
      let text = "";
      while (text.length < PIECE_CHARS) {
        const next = await pieces.next();
        if (next.done) {
          if (text !== "") controller.enqueue(encoder.encode(text));
          controller.close();
          return;
        }
        text += next.value;
      }
      controller.enqueue(encoder.encode(text));
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
  return new Response(stream, { headers: { "content-type": "application/json;charset=utf-8" } });
}

const PIECE_CHARS = 64 * 1024;
