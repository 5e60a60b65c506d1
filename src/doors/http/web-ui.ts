import { rmSync } from "node:fs";
import { staticPlugin } from "@elysiajs/static";
import { type AnyElysia, type Context, Elysia, NotFoundError } from "elysia";
import { acceptedCoding } from "./compress.ts";
import { isApi, MAX_FILES, stageBundle, type WebFile } from "./web-bundle.ts";

const INDEX = "/index.html";

/** Nothing from elsewhere, nothing inline, and no other page may frame it. */
const SECURITY_HEADERS = {
  "content-security-policy":
    "default-src 'self'; style-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/** A script or a style sheet is no page that could be framed. A first visit reads twenty of them, each with its headers. */
const PART_HEADERS = { "content-security-policy": "default-src 'self'" };

const isPart = (type: string) => /^text\/(javascript|css)\b/.test(type);

/** The single-page app at `/`. Disposal removes its copy. */
export interface WebUi extends Disposable {
  readonly hasIndex: boolean;
  readonly routes: AnyElysia;
}

/**
 * Copies the app into `staging`, a private directory, and serves the copy: the plugin follows a file that became a link.
 * @throws Error when the directory cannot be read.
 */
export async function openWebUi(directory: string, staging: string): Promise<WebUi> {
  const files = await stageBundle(directory, staging);
  const assets = await staticPlugin({
    assets: staging,
    prefix: "/",
    // A route for each file that is there at the start. One for all would look at the disk at every request.
    alwaysStatic: true,
    staticLimit: MAX_FILES,
    // Its tags are not quoted, and a client with two tags or a weak one would never get a 304.
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

/** Decoded once, as a browser encoded it; undefined when it cannot be. */
function pathOf(request: Request): string | undefined {
  try {
    return decodeURIComponent(new URL(request.url).pathname);
  } catch {
    return undefined;
  }
}

/** A place inside the app that somebody opens or reloads. */
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
  // The bytes differ with the coding, what they mean does not.
  headers.etag = coding ? `W/${etag}` : etag;
  if (isKnown(request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304 });
  headers["content-type"] = type;
  if (compressed === undefined || coding === undefined) return text && new Response(text);
  headers["content-encoding"] = coding;
  return new Response(await compressed(coding));
}

const isKnown = (given: string | null, etag: string) =>
  given?.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag) ?? false;
