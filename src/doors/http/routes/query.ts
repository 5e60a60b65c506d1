import type { TObject } from "@sinclair/typebox";
import { Failure } from "../../../domain/failure.ts";
import { MAX_PAGE } from "../../../domain/request.ts";
import { wholeJson } from "../../../domain/whole-json.ts";

interface Queried {
  readonly request: Request;
  readonly query: Record<string, unknown>;
}

/** What is done with a query before it is held to its schema. */
export function queryReader({ properties, additionalProperties }: TObject) {
  const numbers = Object.entries(properties).flatMap(([name, { type }]) => {
    const digits = typeof type === "string" ? NUMBERS[type] : undefined;
    return digits ? [{ name, digits }] : [];
  });
  return ({ request, query }: Queried): void => {
    // Fields of others may come as they like.
    if (additionalProperties === false) refuseTwice(request);
    for (const { name, digits } of numbers) if (digits.test(String(query[name]))) query[name] = Number(query[name]);
  };
}

/** Digits, with a decimal point where the schema allows it, and nothing else: Elysia's own numbers also take `1e2`, `0x10` and `" 5"`. */
const NUMBERS: Readonly<Record<string, RegExp>> = { integer: /^\d{1,15}$/, number: /^(?!$)\d{0,3}(\.\d{1,12})?$/ };

/** Elysia would take the last of several. @throws Failure `invalid_request` */
function refuseTwice({ url }: Request): void {
  const seen = new Set<string>();
  for (const name of new URL(url).searchParams.keys()) {
    if (seen.has(name))
      throw new Failure("invalid_request", `${name.slice(0, 64)} is given twice`, { details: { field: name } });
    seen.add(name);
  }
}

interface Page {
  readonly limit?: number;
  readonly sort?: string;
  readonly order?: string;
  readonly offset?: number;
}

export type Row = Readonly<Record<string, unknown>>;

interface Paged<Query extends Page> {
  readonly request: Request;
  readonly query: Query;
  readonly set: { readonly headers: Record<string, string | number> };
  /** Rows for the query, newest first. */
  readonly rows: (query: Query) => Promise<readonly Row[]>;
  /** The field that names a row. */
  readonly by: string;
}

/**
 * All rows without a `limit`, read and sent at the client's pace; else a page, and a `Link` header names the next. Another order
 * than the newest first comes in pages, also without a `limit`.
 */
export async function paged<Query extends Page>(asked: Paged<Query>): Promise<readonly Row[] | Response> {
  const { query, request, set, rows, by } = asked;
  const limit = query.limit ?? (isByPlace(query) ? undefined : MAX_PAGE);
  if (limit === undefined) return await allRows(asked);
  // One row more than was asked for tells whether there is a next page.
  const found = await rows({ ...query, limit: limit + 1 });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  if (found.length > limit && last !== undefined)
    set.headers["link"] = nextLink(request, nextOf(query, limit, String(last[by])));
  return page;
}

/** The default order continues after the last row, which newer rows do not move. Other orders continue by number of rows. */
const nextOf = (page: Page, limit: number, before: string): readonly [string, string] =>
  isByPlace(page) ? ["before", before] : ["offset", String((page.offset ?? 0) + limit)];

const isByPlace = ({ sort, order, offset }: Page) => sort === undefined && order === undefined && offset === undefined;

/** Never more than a page is in memory: the next one is read when the client has taken the last. */
async function allRows<Query extends Page>({ query, request, rows, by }: Paged<Query>) {
  let page = await rows({ ...query, limit: MAX_PAGE });
  if (page.length < MAX_PAGE || request.method === "HEAD") return [...page];
  let opening = "[";
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const isLast = page.length < MAX_PAGE;
    const text = page.map((row) => wholeJson(row)).join(",");
    controller.enqueue(encoder.encode(`${text && opening}${text}${isLast ? "]" : ""}`));
    opening = ",";
    const last = page.at(-1);
    if (isLast || last === undefined) return controller.close();
    page = await rows({ ...query, limit: MAX_PAGE, before: String(last[by]) });
  };
  // What is read ahead is one page.
  const stream = new ReadableStream({ pull }, { highWaterMark: 0 });
  return new Response(stream, { headers: { "content-type": "application/json;charset=utf-8" } });
}

const encoder = new TextEncoder();

function nextLink(request: Request, [name, value]: readonly [string, string]): string {
  const next = new URL(request.url);
  next.searchParams.set(name, value);
  // Relative, so that it stays right behind a reverse proxy.
  return `<${next.pathname}${next.search}>; rel="next"`;
}
