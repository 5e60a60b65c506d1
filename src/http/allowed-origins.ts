import { Failure } from "../domain/failure.ts";

const GUARDED: ReadonlySet<string> = new Set(["POST", "DELETE"]);

/**
 * The origins whose pages may start, judge and stop runs. They keep pages of other sites from spending money; every origin
 * may read. All origins are allowed unless some are given. Two requests always pass: one without an Origin, which comes from
 * no page, and one from the host that it asks, which is the web UI served here.
 */
export class AllowedOrigins {
  static readonly all = new AllowedOrigins(undefined);
  readonly #origins: ReadonlySet<string> | undefined;

  private constructor(origins: ReadonlySet<string> | undefined) {
    this.#origins = origins;
  }

  static of(origins: readonly string[]): AllowedOrigins {
    return origins.length === 0 ? AllowedOrigins.all : new AllowedOrigins(new Set(origins));
  }

  /** @throws Failure `forbidden_origin` */
  check({ method, headers }: Request): void {
    if (this.#origins === undefined || !GUARDED.has(method)) return;
    const origin = headers.get("origin");
    if (origin === null || this.#origins.has(origin)) return;
    // The scheme is not compared: a proxy in front may speak https where we do not.
    if (URL.parse(origin)?.host === headers.get("host")?.toLowerCase()) return;
    throw new Failure(
      "forbidden_origin",
      `pages of ${JSON.stringify(origin.slice(0, 100))} may read here and start nothing; --allowed-origin names those that may`,
    );
  }
}

/** Whether a browser can send it as an origin: `https://dash.example.com`, with a port only where it is not the usual one. */
export const isOrigin = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text;
};
