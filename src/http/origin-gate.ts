import { Failure } from "../domain/failure.ts";

const GUARDED: ReadonlySet<string> = new Set(["POST", "DELETE"]);

/**
 * Against pages of other sites that spend: every origin may read (spec part 5), only those that are named may start, judge
 * or stop. Off unless one is named. A request without an Origin comes from no page and passes; so does one of the same host,
 * which is the web UI that is served here.
 */
export class OriginGate {
  static readonly open = new OriginGate(undefined);
  readonly #allowed: ReadonlySet<string> | undefined;

  private constructor(allowed: ReadonlySet<string> | undefined) {
    this.#allowed = allowed;
  }

  static of(origins: readonly string[]): OriginGate {
    return origins.length === 0 ? OriginGate.open : new OriginGate(new Set(origins));
  }

  /** @throws Failure `forbidden_origin` */
  admit({ method, headers }: Request): void {
    if (this.#allowed === undefined || !GUARDED.has(method)) return;
    const origin = headers.get("origin");
    if (origin === null || this.#allowed.has(origin)) return;
    // The scheme is not compared: a proxy in front may speak https where we do not.
    if (URL.parse(origin)?.host === headers.get("host")?.toLowerCase()) return;
    throw new Failure(
      "forbidden_origin",
      `pages of ${JSON.stringify(origin.slice(0, 100))} may read here and start nothing; --allowed-origin names those that may`,
    );
  }
}

/** As a browser writes it: `https://dash.example.com`, a port only where it is not the usual one. */
export const isOrigin = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text;
};
