import type { WireName } from "../../domain/external-agent.ts";

/** Where agents find each provider, below the address of the proxy. */
export const BASES = {
  anthropic: "/anthropic",
  chat: "/openai/v1",
  responses: "/openai/v1",
  gemini: "/google",
} as const satisfies Record<WireName, string>;

export interface WireRoute {
  readonly wire: WireName;
  /**
   * `reply`: asks a model. `count`: counts tokens. `models`: lists models. `head`: asks whether anyone is there. `stored`: rests on what
   * the provider keeps.
   */
  readonly kind: "reply" | "count" | "models" | "head" | "stored";
  /** What follows the base, with the query as far as it goes on: it holds no key. */
  readonly path: string;
}

type Row = readonly [wire: WireName, method: string, path: RegExp, kind: WireRoute["kind"]];

const ROWS: readonly Row[] = [
  ["anthropic", "POST", /^\/v1\/messages$/, "reply"],
  ["anthropic", "POST", /^\/v1\/messages\/count_tokens$/, "count"],
  ["anthropic", "GET", /^\/v1\/models(\/[^/]+)?$/, "models"],
  ["chat", "POST", /^\/chat\/completions$/, "reply"],
  ["responses", "POST", /^\/responses$/, "reply"],
  ["responses", "POST", /^\/responses\/input_tokens$/, "count"],
  ["responses", "GET", /^\/responses\/[\w-]+(\/input_items)?$/, "stored"],
  ["responses", "POST", /^\/conversations(\/[\w-]+(\/items)?)?$/, "stored"],
  ["chat", "GET", /^\/models(\/[^/]+)*$/, "models"],
  ["gemini", "POST", /^\/v1(alpha|beta)?\/models\/[^/:]+:(streamG|g)enerateContent$/, "reply"],
  ["gemini", "POST", /^\/v1(alpha|beta)?\/models\/[^/:]+:countTokens$/, "count"],
  ["gemini", "GET", /^\/v1(alpha|beta)?\/models(\/[^/:]+)?$/, "models"],
  ["gemini", "POST", /^\/v1(alpha|beta)?\/cachedContents$/, "stored"],
  ["anthropic", "HEAD", /^\/?$/, "head"],
  ["chat", "HEAD", /^\/?$/, "head"],
  ["gemini", "HEAD", /^\/?$/, "head"],
];

/** All that names of models are written with. Everything else some server on the way could unpack to an address elsewhere. */
const PLAIN = /^[\w.:@/-]*$/;

/** A segment that is a dot, or that begins with two. */
const CLIMBS = /(^|\/)\.(\.|[/:]|$)/;

/** What is asked for at a path of the proxy, its query included. Null: nothing that a wire has. */
export function routeOf(method: string, path: string): WireRoute | null {
  const [address = "", query] = path.split(/\?(.*)/s);
  if (!PLAIN.test(address) || CLIMBS.test(address)) return null;
  for (const [wire, its, pattern, kind] of ROWS) {
    const rest = below(BASES[wire], address);
    if (its === method && rest !== undefined && pattern.test(rest))
      return { wire, kind, path: withQuery(rest, pairsOf(query).filter(PASSES[wire])) };
  }
  return null;
}

const pairsOf = (query: string | undefined) => query?.split("&").filter((pair) => pair !== "") ?? [];

const withQuery = (path: string, pairs: readonly string[]) =>
  pairs.length === 0 ? path : `${path}?${pairs.join("&")}`;

/** Written so plainly that nobody can read another name into it, the one of a key above all. */
const isNoKey = (pair: string) => /^(?!key=)[\w.-]+=[\w.:@-]*$/i.test(pair);

/** Google's APIs take parameters that leave out what is counted (`fields`), or write the reply in a form that is not read. */
const isOfGemini = (pair: string) => /^(alt=(sse|json)|pageSize=\d+|pageToken=([\w.~-]|%(2B|2F|3D))+)$/.test(pair);

/** Which parts of a query go on to the provider. */
const PASSES: Readonly<Record<WireName, (pair: string) => boolean>> = {
  ...{ anthropic: isNoKey, chat: isNoKey, responses: isNoKey },
  gemini: isOfGemini,
};

const below = (base: string, address: string) =>
  address === base || address.startsWith(`${base}/`) ? address.slice(base.length) : undefined;

const ANTHROPIC_TYPES: ReadonlyMap<number, string> = new Map([
  [400, "invalid_request_error"],
  [401, "authentication_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [529, "overloaded_error"],
]);

const GEMINI_STATES: ReadonlyMap<number, string> = new Map([
  [400, "INVALID_ARGUMENT"],
  [401, "UNAUTHENTICATED"],
  [403, "PERMISSION_DENIED"],
  [404, "NOT_FOUND"],
  [429, "RESOURCE_EXHAUSTED"],
  [503, "UNAVAILABLE"],
]);

/** An error as the provider of a wire would report it. */
export function errorBody(wire: WireName, status: number, message: string): object {
  const isOurs = status >= 500;
  switch (wire) {
    case "anthropic":
      return {
        type: "error",
        error: { type: ANTHROPIC_TYPES.get(status) ?? (isOurs ? "api_error" : "invalid_request_error"), message },
      };
    case "gemini":
      return {
        error: {
          code: status,
          message,
          status: GEMINI_STATES.get(status) ?? (isOurs ? "INTERNAL" : "FAILED_PRECONDITION"),
        },
      };
    default:
      return { error: { message, type: isOurs ? "server_error" : "invalid_request_error", param: null, code: null } };
  }
}
