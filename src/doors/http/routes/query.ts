import { Type } from "@sinclair/typebox";
import type { Context } from "elysia";
import { Failure } from "../../../domain/failure.ts";
import { MAX_PAGE } from "../../../domain/request.ts";
import { wholeJson } from "../../../domain/whole-json.ts";
import type { Requester, Services } from "../../operation/operation.ts";
import { EXAMPLES } from "../openapi/examples.ts";
import type { EventStreams } from "../stream/event-stream.ts";

type Asked = { readonly request: Request };

/** Refuses a query field that is given twice; Elysia would take the last. @throws Failure `invalid_request` */
export function refuseTwice({ request }: Asked): void {
  const seen = new Set<string>();
  for (const name of new URL(request.url).searchParams.keys()) {
    if (seen.has(name))
      throw new Failure("invalid_request", `${name.slice(0, 64)} is given twice`, { details: { field: name } });
    seen.add(name);
  }
}

/** Makes an integer of digits, and of nothing else: Elysia's own numbers also take `1e2`, `0x10` and `" 5"`. */
export const integer =
  (name: string) =>
  ({ query }: { readonly query: Record<string, unknown> }): void => {
    if (/^\d{1,15}$/.test(String(query[name]))) query[name] = Number(query[name]);
  };

interface Page {
  readonly limit?: number;
  readonly sort?: string;
  readonly order?: string;
  readonly offset?: number;
}

interface Paged<Query, Row> extends Asked {
  readonly query: Query;
  readonly set: { readonly headers: Record<string, string | number> };
  /** Rows for the query, newest first. */
  readonly rows: (query: Query) => Promise<readonly Row[]>;
  readonly idOf: (row: Row) => string;
}

/**
 * All rows without a `limit`, read and sent at the client's pace; else a page, and a `Link` header names the next. Another order
 * than the newest first comes in pages, also without a `limit`.
 */
export async function paged<Query extends Page, Row>(asked: Paged<Query, Row>): Promise<Row[]> {
  const { query, request, set, rows, idOf } = asked;
  const limit = query.limit ?? (isByPlace(query) ? undefined : MAX_PAGE);
  // A Response goes to the client as it is, which Elysia's types of a route with a schema leave out.
  if (limit === undefined) return (await allRows(asked)) as Row[];
  // One row more than was asked for tells whether there is a next page.
  const found = await rows({ ...query, limit: limit + 1 });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  if (found.length > limit && last !== undefined)
    set.headers["link"] = nextLink(request, nextOf(query, limit, idOf(last)));
  return page;
}

/** The default order continues after the last row, which newer rows do not move. Other orders continue by number of rows. */
const nextOf = (page: Page, limit: number, before: string): readonly [string, string] =>
  isByPlace(page) ? ["before", before] : ["offset", String((page.offset ?? 0) + limit)];

const isByPlace = ({ sort, order, offset }: Page) => sort === undefined && order === undefined && offset === undefined;

/** Never more than a page is in memory: the next one is read when the client has taken the last. */
async function allRows<Query extends Page, Row>({ query, request, rows, idOf }: Paged<Query, Row>) {
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
    page = await rows({ ...query, limit: MAX_PAGE, before: idOf(last) });
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

/** The headers that `paged` sends. */
export const LINK_HEADERS = {
  Link: {
    description: '`<address>; rel="next"` when the page is not the last.',
    schema: { type: "string" },
  },
} as const;

export interface RouteContext {
  readonly services: Services;
  /** Who asks. @throws Failure for headers that cannot be read */
  readonly requesterOf: (call: { readonly request: Request; readonly body: unknown }) => Requester;
  readonly streams: EventStreams;
  /** Fires when the server gives up what still works. */
  readonly abandoned: AbortSignal;
}

export const SessionInPath = Type.Object({
  id: Type.String({ description: "Session id.", examples: [EXAMPLES.session.session_id] }),
});

/** Seconds a connection may be silent, so that a stalled body does not stay for ever. */
export const IDLE_TIMEOUT_S = 30;

type Call = Pick<Context, "server" | "request">;

/** Lifts the limit on silence while `work` lasts. The body was read before, under the limit. */
export async function patiently<T>({ server, request }: Call, work: () => Promise<T>): Promise<T> {
  server?.timeout(request, 0);
  try {
    return await work();
  } finally {
    // Before the answer: after it the server no longer knows whose connection it was.
    server?.timeout(request, IDLE_TIMEOUT_S);
  }
}
