import { createHash } from "node:crypto";
import { constants, type Dirent, rmSync } from "node:fs";
import { mkdir, open, readdir, writeFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { staticPlugin } from "@elysiajs/static";
import { type AnyElysia, type Context, Elysia, NotFoundError } from "elysia";
import { acceptedCoding, type Coding, compress, isKnown } from "./compress.ts";

const INDEX = "/index.html";

/** A page loads nothing from elsewhere and nothing inline, and no other page may frame it. */
const SECURITY_HEADERS = {
  "content-security-policy":
    "default-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/** Scripts and style sheets cannot be framed, and a first visit loads twenty of them, so their headers are short. */
const PART_HEADERS = { "content-security-policy": "default-src 'self'" };

const isPart = (type: string) => /^text\/(javascript|css)\b/.test(type);

/** The single-page app at `/`. Disposal removes its copy. */
export interface WebUi extends Disposable {
  readonly hasIndex: boolean;
  readonly routes: AnyElysia;
}

/**
 * Copies the app into `staging`, a private directory, and serves the copy, because the plugin follows a file that became a link.
 * @throws Error when the directory cannot be read.
 */
export async function openWebUi(directory: string, staging: string): Promise<WebUi> {
  const files = await stageBundle(directory, staging);
  const assets = await staticPlugin({
    assets: staging,
    prefix: "/",
    // One route for each file that exists at the start. A single route would read the disk at every request.
    alwaysStatic: true,
    staticLimit: MAX_FILES,
    // The plugin's tags are not quoted, and a client with two tags or a weak one would never get a 304.
    etag: false,
    indexHTML: false,
    silent: true,
  });
  const routes = new Elysia({ name: "web-ui" })
    .onBeforeHandle(async ({ request, set }) => {
      const file = fileFor(files, request);
      return file && (await send(file, request, set));
    })
    .use(assets)
    .get("/*", () => {
      throw new NotFoundError();
    });
  const close = () => rmSync(staging, { recursive: true, force: true });
  return { hasIndex: files.has(INDEX), routes, [Symbol.dispose]: close };
}

function fileFor(files: ReadonlyMap<string, WebFile>, request: Request): WebFile | undefined {
  const path = pathOf(request);
  if (path === undefined || isApi(path)) return undefined;
  return files.get(path) ?? (path === "/" || isPlaceInApp(request, path) ? files.get(INDEX) : undefined);
}

/** The path, decoded once; undefined when it cannot be decoded. */
function pathOf(request: Request): string | undefined {
  try {
    return decodeURIComponent(new URL(request.url).pathname);
  } catch {
    return undefined;
  }
}

/** Whether this is a page of the app that is opened or reloaded. */
function isPlaceInApp(request: Request, path: string): boolean {
  const wantsPage = request.headers.get("accept")?.includes("text/html") ?? false;
  const isRoute = !/(^|\/)\.|\.\w{1,8}$|[\\\0]/.test(path) || /^\/(sessions|scenarios|runs)\/[^/]+$/.test(path);
  return wantsPage && isRoute;
}

/** Sets the headers of a file and sends text. Undefined leaves the bytes to the plugin, which compresses nothing. */
async function send(file: WebFile, request: Request, { headers }: Context["set"]): Promise<Response | undefined> {
  const { compressed, etag, immutable, text, type } = file;
  const coding = compressed && acceptedCoding(request);
  Object.assign(headers, SECURITY_HEADERS, isPart(type) && PART_HEADERS);
  headers["cache-control"] = immutable ? "public, max-age=31536000, immutable" : "no-cache";
  if (compressed) headers.vary = "accept-encoding";
  // The bytes differ with the coding, their meaning does not.
  headers.etag = coding ? `W/${etag}` : etag;
  if (isKnown(request, etag)) return new Response(null, { status: 304 });
  headers["content-type"] = type;
  if (compressed === undefined || coding === undefined) return text && new Response(text);
  headers["content-encoding"] = coding;
  return new Response(await compressed(coding));
}

/** A file of the UI as it was at the start. */
interface WebFile {
  readonly type: string;
  /** The bytes of a text file stay in memory, so that pages survive the removal of the temporary copy. */
  readonly text?: Uint8Array<ArrayBuffer>;
  /** Strong and quoted. */
  readonly etag: string;
  /** Its name contains a hash of its content, so it never changes. */
  readonly immutable: boolean;
  /** The compressed text, made once, at the first request. Absent where compression saves nothing. */
  readonly compressed?: (coding: Coding) => Promise<Uint8Array<ArrayBuffer>>;
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

/** Types that are not compressed already. */
const TEXT = /^text|json|svg|wasm/;

/** Bytes from which compression is worthwhile. */
const WORTH_BYTES = 1_000;

/** The build puts files named after a hash of their content here. A name alone proves nothing: `hero-mountain.png`. */
const HASHED = /^\/hashed\/[^/]+-[0-9a-z]{8}\.\w+$/;

/**
 * Copies the files below `directory` into `staging` and describes them by their paths (`/assets/app.js`). What is served cannot
 * be changed, swapped or linked elsewhere afterwards. Left out are links, pipes, names that begin with a dot or mean something
 * to the router, and what would lie under `/api`.
 * @throws Error when the directory cannot be read or is too large for a UI
 */
async function stageBundle(directory: string, staging: string): Promise<ReadonlyMap<string, WebFile>> {
  const files = new Map<string, WebFile>();
  let total = 0;
  for await (const path of filesBelow(directory, "")) {
    const bytes = await readRegular(join(directory, path));
    total += bytes.byteLength;
    if (files.size >= MAX_FILES || total > MAX_BYTES)
      throw new Error(`more than ${MAX_FILES} files or ${MAX_BYTES / 1024 / 1024} MiB; is this a bundle?`);
    const copy = join(staging, path);
    await mkdir(dirname(copy), { recursive: true });
    await writeFile(copy, bytes);
    files.set(path, describe(path, bytes));
  }
  return files;
}

async function* filesBelow(root: string, path: string): AsyncGenerator<string> {
  const entries = await readdir(join(root, path), { withFileTypes: true });
  for (const entry of entries.filter(isServed)) {
    const below = `${path}/${entry.name}`;
    if (isApi(below)) continue;
    if (entry.isDirectory()) yield* filesBelow(root, below);
    // A link is neither, and neither is a pipe, which would block its reader.
    else if (entry.isFile()) yield below;
  }
}

const isServed = ({ name }: Dirent) => !/^\.|[:*]/.test(name);

const isApi = (path: string) => /^\/+api(\/|$)/i.test(path);

async function readRegular(absolute: string): Promise<Uint8Array<ArrayBuffer>> {
  // The entry may have become a link since it was listed.
  await using file = await open(absolute, constants.O_RDONLY | constants.O_NOFOLLOW);
  return new Uint8Array(await file.readFile());
}

function describe(path: string, bytes: Uint8Array<ArrayBuffer>): WebFile {
  const type = TYPES[extname(path).toLowerCase()] ?? "application/octet-stream";
  const isText = TEXT.test(type);
  return {
    type,
    etag: `"${createHash("sha256").update(bytes).digest("base64url")}"`,
    immutable: HASHED.test(path),
    ...(isText && { text: bytes }),
    ...(isText && bytes.byteLength >= WORTH_BYTES && { compressed: compressedOnce(bytes) }),
  };
}

function compressedOnce(bytes: Uint8Array) {
  const made = new Map<Coding, Promise<Uint8Array<ArrayBuffer>>>();
  return (coding: Coding) => {
    const known = made.get(coding) ?? compress(coding, bytes, true);
    made.set(coding, known);
    return known;
  };
}
