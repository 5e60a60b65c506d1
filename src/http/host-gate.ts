import { Failure } from "../domain/failure.ts";

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Against DNS rebinding: a page whose name was made to point here is of the same origin to its browser; only the Host
 * that it asks for tells. Off unless names are given, since a reverse proxy may stand in front (spec part 5).
 */
export class HostGate {
  static readonly open = new HostGate(undefined);
  readonly #allowed: ReadonlySet<string> | undefined;

  private constructor(allowed: ReadonlySet<string> | undefined) {
    this.#allowed = allowed;
  }

  /** Those names, loopback names and the address that is listened on. */
  static of(names: readonly string[], hostname: string): HostGate {
    if (names.length === 0) return HostGate.open;
    return new HostGate(new Set([...names, ...LOOPBACK, hostname].map((name) => name.toLowerCase())));
  }

  /** @throws Failure `forbidden_host` */
  admit(request: Request): void {
    if (this.#allowed === undefined) return;
    const asked = (request.headers.get("host") ?? new URL(request.url).hostname).replace(/:\d+$/, "").toLowerCase();
    if (this.#allowed.has(asked)) return;
    throw new Failure("forbidden_host", `the host ${JSON.stringify(asked.slice(0, 100))} is not allowed here`);
  }
}

/** As a browser asks for it: `eval.example.com`, `10.0.0.7`, `[fd00::7]`; no scheme, no port, no pattern. */
export const isHost = (text: string): boolean =>
  /^(\[[\da-f:.]+\]|[\w-]+(\.[\w-]+)*\.?)$/i.test(text) && URL.parse(`http://${text}`)?.hostname === text.toLowerCase();
