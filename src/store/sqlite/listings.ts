import { Failure } from "../../domain/failure.ts";
import { SessionListing } from "../../domain/session.ts";
import type { SessionQuery } from "../store.ts";
import type { Database } from "./database.ts";
import { storedJson } from "./stored-json.ts";

/** Newest first, without rows that are damaged. @throws Failure `unknown_session` for `before`. */
export function readListings(
  database: Database,
  { scenario, state, series_id, limit, before }: SessionQuery,
): readonly SessionListing[] {
  const conditions = ["position < $position"];
  if (scenario !== undefined) conditions.push("scenario = $scenario");
  if (state !== undefined) conditions.push("state = $state");
  if (series_id !== undefined) conditions.push("series_id = $series_id");
  const rows = database
    .query(`SELECT listing FROM sessions WHERE ${conditions.join(" AND ")} ORDER BY position DESC`)
    .iterate({
      position: before === undefined ? Number.MAX_SAFE_INTEGER : positionOf(database, before),
      ...(scenario === undefined ? {} : { scenario }),
      ...(state === undefined ? {} : { state }),
      ...(series_id === undefined ? {} : { series_id }),
    }) as IterableIterator<{ listing: string }>;
  const listings: SessionListing[] = [];
  for (const { listing } of rows) {
    if (listings.length === limit) break;
    const row = parsed(listing);
    if (row) listings.push(row);
  }
  return listings;
}

const parsed = storedJson(SessionListing);

function positionOf(database: Database, session_id: string): number {
  const row = database.query("SELECT position FROM sessions WHERE session_id = $session_id").get({ session_id });
  if (row === null) throw new Failure("unknown_session", `there is no session ${session_id}`);
  return (row as { position: number }).position;
}
