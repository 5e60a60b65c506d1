import { Failure } from "../domain/failure.ts";

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/**
 * The names under which this server answers. They stop DNS rebinding: a foreign page whose name was made to point here is
 * same-origin to its browser, and only the Host header tells it apart. All names are allowed unless some are given, because
 * a reverse proxy may stand in front.
 */
export class AllowedHosts {
  static readonly all = new AllowedHosts(undefined);
  readonly #names: ReadonlySet<string> | undefined;

  private constructor(names: ReadonlySet<string> | undefined) {
    this.#names = names;
  }

  /** Those names, loopback names and the address that the server listens on. */
  static of(names: readonly string[], hostname: string): AllowedHosts {
    if (names.length === 0) return AllowedHosts.all;
    return new AllowedHosts(new Set([...names, ...LOOPBACK, hostname].map((name) => name.toLowerCase())));
  }

  /** @throws Failure `forbidden_host` */
  check(request: Request): void {
    if (this.#names === undefined) return;
    const asked = (request.headers.get("host") ?? new URL(request.url).hostname).replace(/:\d+$/, "").toLowerCase();
    if (this.#names.has(asked)) return;
    throw new Failure("forbidden_host", `the host ${JSON.stringify(asked.slice(0, 100))} is not allowed here`);
  }
}

/** Whether a browser can send it as a host: `eval.example.com`, `10.0.0.7`, `[fd00::7]`; no scheme, port or pattern. */
export const isHost = (text: string): boolean =>
  /^(\[[\da-f:.]+\]|[\w-]+(\.[\w-]+)*\.?)$/i.test(text) && URL.parse(`http://${text}`)?.hostname === text.toLowerCase();
