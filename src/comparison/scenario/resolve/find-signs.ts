import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { errorCode } from "../../../domain/failure.ts";
import type { Scenario } from "../../../domain/scenario.ts";
import { collectPassed } from "../../../runtime/collect-garbage.ts";
import { Pace } from "../../../runtime/pace.ts";
import { blobsOf, listTree } from "../git/tree.ts";
import { listMaterial, type MaterialSource } from "../materials.ts";
import { Unusable } from "../unusable.ts";
import { type ResolveContext, readOnce, repositoryOf } from "./context.ts";
/** Files that an arm finds. No row of the inputs changes which they are. */
export interface ArmFileSet extends Pick<MaterialSource, "exclude"> {
  /** Absolute; the directory that they have or, for a commit, would have. */
  readonly top: string;
  readonly tree: string | undefined;
}

/** Tells which files they are, whoever is given them. */
export const fileSetKey = ({ top, tree, exclude = [] }: ArmFileSet) => JSON.stringify([top, tree ?? null, ...exclude]);

/** A shorter answer may stand in a document by chance, or because it is a quotation; a patch has a form of its own. */
const ANSWER_CHARS_TOLD = 200;
const PATCH_CHARS = 40;

/** Bytes of one file, of an archive packed or of all unpacked ones, and of all that are searched. */
const FILE_BYTES = 4_000_000;
const ARCHIVE_BYTES = 64_000_000;
const ALL_BYTES = 128_000_000;

const ARCHIVE = /\.(?:tar|tgz|tar\.gz)$/i;
const TEXT = /\.(?:jsonl?|ndjson|[ct]sv|ya?ml|md|mdx|txt|log|patch|diff|html?|xml|gz)$|(?:^|\/)[^./]+$/i;

/** What gives something away: all of its parts stand in one file. */
interface Sign {
  readonly what: string;
  readonly parts: readonly string[];
}

/** Files that are told. */
const SHOWN = 20;

/**
 * What files hold of what arms of a scenario are tested with, as far as it has a form or is whole. They are read once for all rows of its
 * inputs, and again only where they may hold the answer of this one.
 */
export async function findSigns(context: ResolveContext, given: ArmFileSet, { name, task }: Scenario) {
  const own = `"scenario":${JSON.stringify(name)}`;
  const common = [
    ...wholeSigns("the reference fix", task.reference_fix?.patch, PATCH_CHARS),
    { what: "a saved series of this scenario", parts: ['"type":"abeval-baseline"', own] },
    { what: "a recording of this scenario", parts: ['"cassette":', '"abeval":', own] },
  ];
  const { told, sketch } = await readOnce(context, "told", fileSetKey(given), async () => {
    const { size, read } = await filesSearched(context, given);
    const all = new Sketch(size);
    return { told: await find(read(), common, all), sketch: all };
  });
  const answers = wholeSigns("the reference answer", task.reference_answer?.text, ANSWER_CHARS_TOLD);
  const suspects = answers.filter(({ parts: [text] }) => sketch.mayHold(text));
  if (suspects.length === 0) return told;
  const { read } = await filesSearched(context, given);
  return [...told, ...(await find(read(), suspects))].slice(0, SHOWN);
}

interface OpenFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** The files that are looked at, one after the other, as often as they are read. An install may have more than a fixture may. */
async function filesSearched(context: ResolveContext, { top, tree, exclude }: ArmFileSet) {
  if (tree !== undefined) {
    const { git_dir } = repositoryOf(context);
    const { size, files } = searched(await listTree(git_dir, tree, { exclude }));
    const read = async function* (): AsyncGenerator<OpenFile> {
      for await (const { file, pieces } of blobsOf(git_dir, files))
        yield { path: file.path, bytes: Buffer.concat(await Array.fromAsync(pieces)) };
    };
    return { size, read };
  }
  const entries = await listMaterial(top, exclude).catch(Unusable.or([]));
  const { size, files } = searched(
    entries.flatMap(({ path, stats }) => (stats.isFile() ? [{ path, bytes: stats.size }] : [])),
  );
  const read = async function* (): AsyncGenerator<OpenFile> {
    for (const { path } of files) yield { path, bytes: await readFile(join(top, path)).catch(() => Buffer.of()) };
  };
  return { size, read };
}

/** Reads as many files as there is room for, but none that a package manager installed. */
function searched<F extends { readonly path: string; readonly bytes: number }>(all: readonly F[]) {
  let size = 0;
  const files = all.filter(({ path, bytes }) => {
    const most = ARCHIVE.test(path) ? ARCHIVE_BYTES : TEXT.test(path) ? FILE_BYTES : -1;
    if (bytes > most || bytes > ALL_BYTES - size || /(?:^|\/)(?:node_modules|site-packages|\.git)\//.test(path))
      return false;
    size += bytes;
    return true;
  });
  return { size, files };
}

async function find(files: AsyncIterable<OpenFile>, signs: readonly Sign[], sketch?: Sketch) {
  const told: { readonly path: string; readonly what: string }[] = [];
  const pace = new Pace();
  let unpacking = ARCHIVE_BYTES;
  for await (const { path, bytes: packed } of files) {
    const { bytes, taken } = await unpacked(path, packed, unpacking);
    unpacking -= taken;
    await collectPassed(taken);
    await pace.bytes(bytes.length * signs.length);
    await sketch?.add(bytes, pace);
    const sign = signs.find(({ parts }) => parts.every((part) => bytes.includes(part)));
    if (sign) told.push({ path, what: sign.what });
    if (told.length === SHOWN) break;
  }
  return told;
}

/** A text as it stands in prose, in JSON and in a table. */
function wholeSigns(what: string, text: string | undefined, least: number) {
  const whole = text?.trim() ?? "";
  if (whole.length < least) return [];
  const forms = [
    whole,
    JSON.stringify(whole).slice(1, -1),
    whole.replaceAll('"', '""'),
    whole.replaceAll("\n", "\r\n"),
  ];
  return [...new Set(forms)].map((form) => ({ what, parts: [form] as const }));
}

/** Bytes of a piece, and from the start of one to that of the next. An answer that is looked for has five whole ones, wherever it begins. */
const PIECE = 16;
const STEP = 32;

/** Which pieces some bytes have, as bits at their hashes: enough to know which of many texts are not among them. */
class Sketch {
  /** 16 bits a piece. */
  readonly #bits: Uint8Array;

  constructor(size: number) {
    this.#bits = new Uint8Array(2 * Math.ceil(size / STEP) + 1_024);
  }

  async add(bytes: Uint8Array, pace: Pace): Promise<void> {
    for (let at = 0; at + PIECE <= bytes.length; at += STEP) {
      const bit = this.#bitOf(bytes, at);
      this.#bits[bit >> 3] = (this.#bits[bit >> 3] ?? 0) | (1 << (bit & 7));
      if (at % 2 ** 20 === 0) await pace.bytes(2 ** 20);
    }
  }

  /** False only for what does not stand in the bytes. */
  mayHold(text: string): boolean {
    const bytes = Buffer.from(text);
    const hasPieces = (first: number) => {
      for (let at = first; at + PIECE <= bytes.length; at += STEP) {
        const bit = this.#bitOf(bytes, at);
        if (((this.#bits[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
      }
      return true;
    };
    return Array.from({ length: STEP }, (_, first) => first).some(hasPieces);
  }

  #bitOf(bytes: Uint8Array, at: number): number {
    let hash = 0;
    for (let next = at; next < at + PIECE; next += 1) hash = Math.imul(hash ^ (bytes[next] ?? 0), 0x01_00_01_93);
    return ((hash ^ (hash >>> 15)) >>> 0) % (8 * this.#bits.length);
  }
}

const gunzipped = promisify(gunzip);

/**
 * An archive is searched as its bytes: tar keeps each file in one piece. What is no gzip, or too large, stays as it is, and has taken
 * as many bytes as it could: a file of 60 kB may unpack to 64 MB, and there may be a hundred.
 */
async function unpacked(path: string, bytes: Uint8Array, most: number) {
  const packed = { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), taken: 0 };
  if (!/\.t?gz$/i.test(path) || most <= 0) return packed;
  return await gunzipped(packed.bytes, { maxOutputLength: most }).then(
    (whole) => ({ bytes: whole, taken: whole.length }),
    (error: unknown) => ({ ...packed, taken: errorCode(error) === "ERR_BUFFER_TOO_LARGE" ? most : 0 }),
  );
}
