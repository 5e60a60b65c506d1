import { SessionListRequest } from "../domain/request.ts";
import type { SessionListing } from "../domain/session.ts";
import type { Services } from "../operation/services.ts";
import { json, readable } from "./every-origin.ts";
import { readQuery } from "./read-request.ts";

/** A page when `limit` asks for one, with the address of the next; else every session. */
export function answerSessions({ store }: Services, request: Request): Response {
  const query = readQuery(request, SessionListRequest);
  if (query.limit === undefined) return json(store.list(query));
  // One row more than was asked for tells whether there is a next page.
  const rows = store.list({ ...query, limit: query.limit + 1 });
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  return rows.length > page.length && last
    ? Response.json(page, { headers: { link: nextLink(request, last), ...readable("link") } })
    : json(page);
}

function nextLink(request: Request, { session_id }: SessionListing): string {
  const next = new URL(request.url);
  next.searchParams.set("before", session_id);
  // Relative, so that it stays right behind a reverse proxy.
  return `<${next.pathname}${next.search}>; rel="next"`;
}
