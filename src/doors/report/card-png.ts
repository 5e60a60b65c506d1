import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { crc32, deflate, gunzip } from "node:zlib";
import regular from "@fontsource/inter/files/inter-latin-400-normal.woff2" with { type: "file" };
import bold from "@fontsource/inter/files/inter-latin-700-normal.woff2" with { type: "file" };
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { breathe } from "../../runtime/pace.ts";
import wasm from "./renderer/resvg.wasm.gz" with { type: "file" };

let started: Promise<readonly Uint8Array[]> | undefined;

/** Starts the renderer once. @returns the fonts */
async function start(): Promise<readonly Uint8Array[]> {
  await initWasm(readFile(wasm).then((bytes) => promisify(gunzip)(bytes)));
  return await Promise.all([readFile(regular), readFile(bold)]);
}

/** A card as PNG. Every program shows it alike, since the font comes with it; letters beyond Latin are boxes. */
export async function cardPng(svg: string): Promise<Uint8Array<ArrayBuffer>> {
  started ??= start();
  const fonts = await started;
  await breathe();
  const drawing = new Resvg(svg, {
    font: { fontBuffers: [...fonts], defaultFontFamily: "Inter", loadSystemFonts: false },
  });
  await breathe();
  const image = drawing.render();
  const { width, height, pixels } = image;
  image.free();
  drawing.free();
  return await encoded({ width, height, pixels });
}

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
/** Eight bits each of red, green, blue and alpha; no interlacing. */
const RGBA = Buffer.from([8, 6, 0, 0, 0]);

interface Image {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** The renderer's own encoder stops the event loop for longer than anybody may; this one packs on another thread. */
async function encoded({ width, height, pixels }: Image): Promise<Uint8Array<ArrayBuffer>> {
  const row = width * 4;
  // Each row begins with the number of its filter: none.
  const rows = Buffer.alloc((row + 1) * height);
  for (let y = 0; y < height; y += 1) rows.set(pixels.subarray(y * row, (y + 1) * row), y * (row + 1) + 1);
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  const packed = await promisify(deflate)(rows);
  return Buffer.concat([
    ...[SIGNATURE, chunk("IHDR", Buffer.concat([size, RGBA])), chunk("IDAT", packed)],
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Length, name, content, checksum, as PNG has them. */
function chunk(name: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
