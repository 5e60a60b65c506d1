import { Failure } from "../../domain/failure.ts";

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Lets requests pass that ask for one of these names, a loopback name or the address that the server listens on. It stops
 * DNS rebinding: a foreign page whose name was made to point here is same-origin to its browser, and only the Host header
 * tells it apart. Without names all pass, because a reverse proxy may stand in front, unless it is `strict`.
 * @returns what throws Failure `forbidden_host`
 */
export function allowedHosts(names: readonly string[], hostname: string, strict = false): (request: Request) => void {
  const allowed = new Set([...names, ...LOOPBACK, hostname].map((name) => name.toLowerCase()));
  return (request) => {
    if (names.length === 0 && !strict) return;
    const asked = (request.headers.get("host") ?? new URL(request.url).hostname).replace(/:\d+$/, "").toLowerCase();
    if (allowed.has(asked)) return;
    throw new Failure(
      "forbidden_host",
      `the host ${JSON.stringify(asked.slice(0, 100))} is not allowed; --allowed-host names those that are`,
    );
  };
}

/** Whether a browser can send it as a host: `eval.example.com`, `10.0.0.7`, `[fd00::7]`; no scheme, port or pattern. */
export const isHost = (text: string): boolean =>
  /^(\[[\da-f:.]+\]|[\w-]+(\.[\w-]+)*\.?)$/i.test(text) && URL.parse(`http://${text}`)?.hostname === text.toLowerCase();

const GUARDED: ReadonlySet<string> = new Set(["POST", "DELETE"]);

/**
 * Lets only pages of these origins start, judge and stop runs, so that pages of other sites spend no money; every origin may
 * read. Without origins all pass; `self` names none, and is the origin that is asked. Two requests always pass: one without an Origin, which comes from no page, and one from the
 * origin that it asks, which is the web UI served here.
 * @returns what throws Failure `forbidden_origin`
 */
export const allowedOrigins =
  (origins: readonly string[]): ((request: Request) => void) =>
  ({ method, headers }) => {
    if (origins.length === 0 || !GUARDED.has(method)) return;
    const origin = headers.get("origin");
    if (origin === null || origins.includes(origin) || origin === ownOrigin(headers)) return;
    throw new Failure(
      "forbidden_origin",
      `pages of ${JSON.stringify(origin.slice(0, 100))} may read but not start anything; --allowed-origin names those that may`,
    );
  };

/** The server's own origin; undefined without a host. Only a proxy in front knows whether the browser uses https. */
function ownOrigin(headers: Headers): string | undefined {
  const scheme = headers.get("x-forwarded-proto") === "https" ? "https" : "http";
  return URL.parse(`${scheme}://${headers.get("host") ?? ""}`)?.origin;
}

/** Whether a browser can send it as an origin: `https://dash.example.com`, with a port only where it is not the usual one. */
export const isOrigin = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text;
};
