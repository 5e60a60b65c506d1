import { readlinkSync } from "node:fs";
import { join } from "node:path";
import { asText, chunksOf, readRegular } from "../tree/contents.ts";
import { breathe, type TreeEntry } from "../tree/walk.ts";

/** What stands at a path, as far as a diff can show it. */
export type Content =
  | { readonly kind: "absent" }
  | { readonly kind: "text"; readonly text: string; readonly digest: string; readonly executable: boolean }
  | { readonly kind: "binary"; readonly size: number; readonly digest: string }
  | { readonly kind: "link"; readonly target: string; readonly digest: string }
  /** A pipe, socket, device, or a name that is no text. */
  | { readonly kind: "odd"; readonly digest: string }
  /** More than a harvest reads. */
  | { readonly kind: "unread"; readonly size: number; readonly digest: string };

export const ABSENT: Content = { kind: "absent" };

/** Bytes up to which text is shown line by line; nothing larger fits a patch. */
const MAX_TEXT_BYTES = 2_000_000;

/** Bytes that one harvest reads. Sparse files can claim any size. */
const MAX_READ_BYTES = 1024 * 1024 * 1024;

/** Reads the files of a tree, within what one harvest may read. */
export class ContentReader {
  #left = MAX_READ_BYTES;

  async read(root: string, entry: TreeEntry | undefined): Promise<Content> {
    if (!entry || entry.kind === "directory") return ABSENT;
    if (entry.kind === "link") return linkAt(root, entry.path);
    if (entry.kind !== "file") return { kind: "odd", digest: sha256(entry.kind) };
    if (entry.size > this.#left) return { kind: "unread", size: entry.size, digest: sha256(`unread ${entry.size}`) };
    this.#left -= entry.size;
    return entry.size > MAX_TEXT_BYTES ? await largeFile(root, entry) : smallFile(root, entry);
  }
}

function linkAt(root: string, path: string): Content {
  const target = readlinkSync(join(root, path), { encoding: "buffer" });
  return { kind: "link", target: target.toString(), digest: sha256(target) };
}

function smallFile(root: string, { path, size, mode }: TreeEntry): Content {
  const bytes = readRegular(root, path, MAX_TEXT_BYTES) ?? new Uint8Array();
  const digest = sha256(bytes);
  const text = asText(bytes);
  return text === undefined
    ? { kind: "binary", size, digest }
    : { kind: "text", text, digest, executable: (mode & 0o100) !== 0 };
}

/** Chunks hashed between two moments in which others may run. */
const BATCH = 16;

async function largeFile(root: string, { path, size }: TreeEntry): Promise<Content> {
  const hasher = new Bun.CryptoHasher("sha256");
  let chunks = 0;
  for (const chunk of chunksOf(root, path)) {
    hasher.update(chunk);
    chunks += 1;
    if (chunks % BATCH === 0) await breathe();
  }
  return { kind: "binary", size, digest: hasher.digest("hex") };
}

const sha256 = (data: string | Uint8Array) => new Bun.CryptoHasher("sha256").update(data).digest("hex");
