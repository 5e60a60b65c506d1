import { constants, type Dirent } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { extname, join } from "node:path";

/** A file of the UI as it is sent. */
export interface WebFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** Strong and quoted. */
  readonly etag: string;
  /** Its name holds a hash of what it holds, so it never changes. */
  readonly immutable: boolean;
}

/** A UI has dozens of small files; beyond this the directory is something else. */
const MAX_FILES = 2_000;
const MAX_BYTES = 64 * 1024 * 1024;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".webmanifest": "application/manifest+json",
  ".txt": "text/plain; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".ico": "image/x-icon",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
};

/** `chunk-k3v9x2ab.js`: what bundlers call a file after what it holds. */
const HASHED = /[-.][0-9a-z]{8,}\.\w+$/i;

/**
 * The files below a directory by their paths (`/assets/app.js`), read once: what is served cannot be changed, swapped or
 * linked elsewhere afterwards. Regular files only: no links, and nothing whose name begins with a dot.
 * @throws Error when the directory cannot be read or is too large for a UI
 */
export async function readWebBundle(directory: string): Promise<ReadonlyMap<string, WebFile>> {
  const files = new Map<string, WebFile>();
  let total = 0;
  for await (const path of filesBelow(directory, "")) {
    const file = await readFile(join(directory, path), path);
    total += file.bytes.byteLength;
    if (files.size >= MAX_FILES || total > MAX_BYTES)
      throw new Error(`more than ${MAX_FILES} files or ${MAX_BYTES / 1024 / 1024} MiB; is this a bundle?`);
    files.set(path, file);
  }
  return files;
}

async function* filesBelow(root: string, path: string): AsyncGenerator<string> {
  const entries = await readdir(join(root, path), { withFileTypes: true });
  for (const entry of entries.filter(isVisible)) {
    const below = `${path}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(root, below);
    // An entry that is a link is neither; so is a pipe, which would block who opens it.
    else if (entry.isFile()) yield below;
  }
}

const isVisible = ({ name }: Dirent) => !name.startsWith(".");

async function readFile(absolute: string, path: string): Promise<WebFile> {
  // The entry may have become a link since it was listed.
  await using file = await open(absolute, constants.O_RDONLY | constants.O_NOFOLLOW);
  const bytes = new Uint8Array(await file.readFile());
  return {
    bytes,
    type: TYPES[extname(path).toLowerCase()] ?? "application/octet-stream",
    etag: `"${new Bun.CryptoHasher("sha256").update(bytes).digest("base64url")}"`,
    immutable: HASHED.test(path),
  };
}
