import { asRecord, parseJson } from "../../../domain/lenient.ts";
import { Secret } from "../redaction.ts";

/** Headers that every call of a provider carries, as its variable gives them. */
export interface ExtraHeaders {
  /** By name in lower case. Values may be keys. Empty when there is a problem. */
  readonly headers: ReadonlyMap<string, Secret>;
  /** What is wrong with the variable. It quotes no value. */
  readonly problem: string | null;
}

const MAX_HEADERS = 32;

/** Servers refuse more than this for all headers together. */
const MAX_VALUE_CHARS = 8_192;

/** A name as RFC 9110 allows it. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Visible ASCII, with blanks and tabs within: what is sent unchanged. */
const VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/** Headers of the request itself. A wrong one breaks every call. */
const OWNED: ReadonlySet<string> = new Set(
  (
    "accept accept-encoding connection content-encoding content-length content-type expect host keep-alive te trailer " +
    "transfer-encoding upgrade"
  ).split(" "),
);

/** `text` is a JSON object of texts, or lines of `name: value`. A problem quotes valid names only: a value may be a key. */
export function readExtraHeaders(text: string): ExtraHeaders {
  const pairs = text.startsWith("{") ? pairsOfJson(text) : pairsOfLines(text);
  if (typeof pairs === "string") return unusable(pairs);
  if (pairs.length > MAX_HEADERS) return unusable(`holds ${pairs.length} headers; at most ${MAX_HEADERS} are sent`);
  const headers = new Map<string, Secret>();
  for (const { name, value, place } of pairs) {
    const problem = headers.has(name.toLowerCase()) ? `${name} is given twice` : pairProblem(name, value, place);
    if (problem !== undefined) return unusable(problem);
    headers.set(name.toLowerCase(), new Secret(String(value)));
  }
  return { headers, problem: null };
}

/** Names in lower case and values in the clear, for an SDK's client only. */
export const revealed = ({ headers }: ExtraHeaders): Record<string, string> =>
  Object.fromEntries([...headers].map(([name, value]) => [name, value.reveal()]));

const unusable = (problem: string): ExtraHeaders => ({ headers: new Map(), problem });

interface Pair {
  readonly name: string;
  readonly value: unknown;
  /** Says which header is meant when its name cannot be shown. */
  readonly place: string;
}

function pairsOfJson(text: string): readonly Pair[] | string {
  const object = asRecord(parseJson(text));
  // The parser's error would quote the text.
  if (object === undefined) return 'not JSON: expected {"name": "value"}, or lines of `name: value`';
  return Object.entries(object).map(([name, value], index) => ({ name, value, place: `header ${index + 1}` }));
}

function pairsOfLines(text: string): readonly Pair[] | string {
  const lines = text.split(/\r?\n/).map((line, index) => ({ line: line.trim(), place: `line ${index + 1}` }));
  const given = lines.filter(({ line }) => line !== "");
  const odd = given.find(({ line }) => !line.includes(":"));
  if (odd !== undefined) return `${odd.place}: expected \`name: value\``;
  return given.map(({ line, place }) => {
    const colon = line.indexOf(":");
    return { name: line.slice(0, colon).trimEnd(), value: line.slice(colon + 1).trim(), place };
  });
}

function pairProblem(name: string, value: unknown, place: string): string | undefined {
  if (!NAME.test(name) || name.length > 100) return `${place}: the name is not one that a header can have`;
  if (OWNED.has(name.toLowerCase())) return `${name} belongs to the request itself and cannot be set`;
  if (typeof value !== "string") return `${name}: expected a text`;
  if (value.length > MAX_VALUE_CHARS) return `${name}: the value is longer than ${MAX_VALUE_CHARS} characters`;
  return VALUE.test(value) ? undefined : `${name}: the value is empty or holds characters that no header has`;
}
