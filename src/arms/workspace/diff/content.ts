import { createHash } from "node:crypto";
import { readlinkSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../../domain/sha256.ts";
import { Pace } from "../../../runtime/pace.ts";
import { isOutOfReach } from "../io-failure.ts";
import { chunksOf, decodedText, readRegular } from "../tree/contents.ts";
import type { TreeEntry } from "../tree/walk.ts";

/** What stands at a path, as far as a diff can show it. */
export type Content =
  | { readonly kind: "absent" }
  | { readonly kind: "text"; readonly text: string; readonly digest: string; readonly executable: boolean }
  /** `prose`: most of it reads as text all the same. */
  | {
      readonly kind: "binary";
      readonly size: number;
      readonly digest: string;
      readonly prose: boolean;
      /** Decoded with replacement characters; null when it is too large to show. */
      readonly lossy: string | null;
      /** Line ends, and a last line without one. */
      readonly lines: number;
      readonly executable: boolean;
    }
  /** Text, or taken for it, of more bytes than are shown. */
  | { readonly kind: "long"; readonly size: number; readonly digest: string; readonly lines: number }
  | { readonly kind: "link"; readonly target: string; readonly digest: string }
  /** A pipe, socket, device, or a name that is no text. */
  | { readonly kind: "odd"; readonly digest: string }
  /** A file beyond what is read of one arm's changes. */
  | { readonly kind: "unread"; readonly size: number; readonly digest: string };

const ABSENT: Content = { kind: "absent" };

/** Bytes up to which text is shown line by line; nothing larger fits a patch. */
const MAX_TEXT_BYTES = 2_000_000;

/** Bytes that are read of one arm's changes. Sparse files can claim any size. */
const MAX_READ_BYTES = 1024 * 1024 * 1024;

/** Reads the changed files of one arm, up to a number of bytes. */
export class ContentReader {
  readonly #pace = new Pace();
  #left = MAX_READ_BYTES;

  /** What cannot be read is `odd`. */
  async read(root: string, entry: TreeEntry | undefined): Promise<Content> {
    try {
      return await this.#read(root, entry);
    } catch (error) {
      if (!isOutOfReach(error)) throw error;
      return { kind: "odd", digest: sha256("out of reach") };
    }
  }

  async #read(root: string, entry: TreeEntry | undefined): Promise<Content> {
    if (!entry || entry.kind === "directory") return ABSENT;
    if (entry.kind === "link") return linkAt(root, entry.path);
    if (entry.kind !== "file") return { kind: "odd", digest: sha256(entry.kind) };
    if (entry.size > this.#left) return { kind: "unread", size: entry.size, digest: sha256(`unread ${entry.size}`) };
    this.#left -= entry.size;
    if (entry.size > MAX_TEXT_BYTES) return await largeFile(root, entry, this.#pace);
    // Read, decoded, looked through and shown.
    await this.#pace.bytes(4 * entry.size);
    return smallFile(root, entry);
  }
}

function linkAt(root: string, path: string): Content {
  const target = readlinkSync(join(root, path), { encoding: "buffer" });
  return { kind: "link", target: target.toString(), digest: sha256(target) };
}

function smallFile(root: string, { path, size, mode }: TreeEntry): Content {
  const bytes = readRegular(root, path, MAX_TEXT_BYTES) ?? new Uint8Array();
  const digest = sha256(bytes);
  const text = decodedText(bytes);
  const executable = (mode & 0o100) !== 0;
  if (text !== undefined) return { kind: "text", text, digest, executable };
  const lossy = lossyText(bytes);
  const lines = lineEnds(bytes) + (bytes.at(-1) === NEWLINE ? 0 : 1);
  return { kind: "binary", size, digest, prose: isProse(lossy), lossy, lines, executable };
}

async function largeFile(root: string, { path, size, mode }: TreeEntry, pace: Pace): Promise<Content> {
  const hasher = createHash("sha256");
  let chunks = 0;
  let lines = 0;
  let prose = false;
  let last: number | undefined = NEWLINE;
  for (const chunk of chunksOf(root, path)) {
    hasher.update(chunk);
    lines += lineEnds(chunk);
    last = chunk.at(-1);
    if (chunks === 0) prose = isProse(lossyText(chunk));
    chunks += 1;
    await pace.bytes(chunk.length);
  }
  if (last !== NEWLINE) lines += 1;
  const executable = (mode & 0o100) !== 0;
  return { kind: "binary", size, digest: hasher.digest("hex"), prose, lossy: null, lines, executable };
}

const NEWLINE = 10;

function lineEnds(bytes: Uint8Array): number {
  let count = 0;
  // Several times faster than a search from each to the next where every byte is one.
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === NEWLINE) count += 1;
  return count;
}

/** NUL would not survive in stores and terminals. */
const lossyText = (bytes: Uint8Array) =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).replaceAll("\0", "\ufffd");

/** Characters of a file from which its kind is told. */
const SAMPLE_CHARS = 100_000;

/** Characters of a hundred that may be unreadable in what still counts as text. */
const MAX_UNREADABLE = 10;

function isProse(whole: string): boolean {
  const text = whole.slice(0, SAMPLE_CHARS);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  const unreadable = text.match(/[\ufffd\x01-\x08\x0e-\x1a\x1c-\x1f]/g)?.length ?? 0;
  return text !== "" && unreadable * 100 <= text.length * MAX_UNREADABLE;
}
