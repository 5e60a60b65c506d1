import { promisify } from "node:util";
import zlib from "node:zlib";
import type { Context } from "elysia";
import { wholeJson } from "../../domain/whole-json.ts";

/** Bytes from which the time to compress is less than the time to send what it saves. */
const WORTH_BYTES = 10_000;

export type Coding = "zstd" | "gzip";

/** The codings in order of preference. Compression runs beside the event loop. */
const COMPRESS: Readonly<Record<Coding, (bytes: Uint8Array, often: boolean) => Promise<Buffer>>> = {
  zstd: (bytes, often) => zstd(bytes, { params: { [zlib.constants.ZSTD_c_compressionLevel]: often ? 19 : 3 } }),
  gzip: (bytes, often) => gzip(bytes, { level: often ? 9 : 6 }),
};
const CODINGS = Object.keys(COMPRESS) as readonly Coding[];
const zstd = promisify<Uint8Array, zlib.ZstdOptions, Buffer>(zlib.zstdCompress);
const gzip = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.gzip);

/** Bytes that are sent `often` are made as small as possible, whatever it takes. */
export const compress = async (coding: Coding, bytes: Uint8Array, often = false) =>
  new Uint8Array(await COMPRESS[coding](bytes, often));

/** The best coding that the client takes. */
export function acceptedCoding({ headers }: Request): Coding | undefined {
  const accepted = (headers.get("accept-encoding") ?? "").toLowerCase().split(",");
  const named = accepted.filter((item) => !/;\s*q=0(\.0*)?\s*$/.test(item)).map((item) => item.split(";")[0]?.trim());
  return CODINGS.find((coding) => named.includes(coding));
}

/** Whether the client has what this tag names. Tags are compared without their strength, as RFC 9110 asks for GET. */
export function isKnown({ headers }: Request, etag: string): boolean {
  const known = (headers.get("if-none-match") ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return known.includes("*") || known.includes(etag.replace(/^W\//, ""));
}

type Answered = Pick<Context, "request" | "set"> & { readonly responseValue: unknown };

/** For `mapResponse`: JSON, compressed when it is large. Streams, files and pages are left as they are. */
export async function sendJson({ request, responseValue, set }: Answered): Promise<Response | undefined> {
  if (!isJson(responseValue)) return undefined;
  const text = wholeJson(responseValue);
  const headers = { "content-type": "application/json;charset=utf-8" };
  if (text.length < WORTH_BYTES) return new Response(text, { headers });
  set.headers.vary = "accept-encoding";
  const coding = acceptedCoding(request);
  if (coding === undefined) return new Response(text, { headers });
  return new Response(await compress(coding, Buffer.from(text)), {
    headers: { ...headers, "content-encoding": coding },
  });
}

const isJson = (value: unknown): value is object =>
  Array.isArray(value) || (typeof value === "object" && value !== null && value.constructor === Object);
