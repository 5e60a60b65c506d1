import { Failure } from "../../domain/failure.ts";

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Lets requests pass that ask for one of these names, a loopback name or the address that the server listens on. It stops
 * DNS rebinding: a foreign page whose name was made to point here is same-origin to its browser, and only the Host header
 * tells it apart. Without names all pass, because a reverse proxy may stand in front.
 * @returns what throws Failure `forbidden_host`
 */
export function allowedHosts(names: readonly string[], hostname: string): (request: Request) => void {
  const allowed = new Set([...names, ...LOOPBACK, hostname].map((name) => name.toLowerCase()));
  return (request) => {
    if (names.length === 0) return;
    const asked = (request.headers.get("host") ?? new URL(request.url).hostname).replace(/:\d+$/, "").toLowerCase();
    if (allowed.has(asked)) return;
    throw new Failure("forbidden_host", `the host ${JSON.stringify(asked.slice(0, 100))} is not allowed here`);
  };
}

/** Whether a browser can send it as a host: `eval.example.com`, `10.0.0.7`, `[fd00::7]`; no scheme, port or pattern. */
export const isHost = (text: string): boolean =>
  /^(\[[\da-f:.]+\]|[\w-]+(\.[\w-]+)*\.?)$/i.test(text) && URL.parse(`http://${text}`)?.hostname === text.toLowerCase();
