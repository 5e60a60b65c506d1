import { readWebBundle, type WebFile } from "./web-bundle.ts";

const INDEX = "/index.html";

/** Nothing from elsewhere, nothing inline, and no other page may frame it. */
const SECURITY_HEADERS = {
  "content-security-policy":
    "default-src 'self'; style-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/** The single-page app at `/` (spec part 1). */
export class WebUi {
  readonly #files: ReadonlyMap<string, WebFile>;

  private constructor(files: ReadonlyMap<string, WebFile>) {
    this.#files = files;
  }

  /** @throws Error when the directory cannot be read. */
  static async open(directory: string): Promise<WebUi> {
    return new WebUi(await readWebBundle(directory));
  }

  get hasIndex(): boolean {
    return this.#files.has(INDEX);
  }

  /** Undefined when it has nothing to say about the path, as for everything under `/api`. */
  answer(request: Request): Response | undefined {
    const path = pathOf(request);
    if (path === undefined || /^\/+api(\/|$)/i.test(path)) return undefined;
    // Found by name among what was read, so no spelling of a path leads anywhere else.
    const file = this.#files.get(path === "/" ? INDEX : path) ?? this.#clientRoute(request, path);
    return file && send(request, file);
  }

  /** A place inside the app that somebody opens or reloads. */
  #clientRoute(request: Request, path: string): WebFile | undefined {
    const wantsPage = request.headers.get("accept")?.includes("text/html") ?? false;
    const isRoute = !/(^|\/)\.|\.\w{1,8}$|[\\\0]/.test(path) || /^\/(sessions|scenarios|runs)\/[^/]+$/.test(path);
    return wantsPage && isRoute ? this.#files.get(INDEX) : undefined;
  }
}

/** Decoded once, as a browser encoded it; undefined when it cannot be. */
function pathOf(request: Request): string | undefined {
  try {
    return decodeURIComponent(new URL(request.url).pathname);
  } catch {
    return undefined;
  }
}

function send(request: Request, { bytes, type, etag, immutable }: WebFile): Response {
  const headers = {
    ...SECURITY_HEADERS,
    etag,
    "cache-control": immutable ? "public, max-age=31536000, immutable" : "no-cache",
  };
  if (isKnown(request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
  return new Response(bytes, { headers: { ...headers, "content-type": type } });
}

const isKnown = (given: string | null, etag: string) =>
  given?.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag) ?? false;
