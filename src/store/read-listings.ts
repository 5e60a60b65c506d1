import type { Database } from "bun:sqlite";
import { Failure } from "../domain/failure.ts";
import type { SessionListing } from "../domain/session.ts";
import type { SessionQuery } from "./store.ts";

/** Newest first. @throws Failure `unknown_session` for `before`. */
export function readListings(
  database: Database,
  { scenario, state, limit, before }: SessionQuery,
): readonly SessionListing[] {
  const conditions = ["position < $position"];
  if (scenario !== undefined) conditions.push("scenario = $scenario");
  if (state !== undefined) conditions.push("state = $state");
  const rows = database
    .query(`SELECT listing FROM sessions WHERE ${conditions.join(" AND ")} ORDER BY position DESC LIMIT $limit`)
    .all({
      position: before === undefined ? Number.MAX_SAFE_INTEGER : positionOf(database, before),
      limit: limit ?? -1,
      ...(scenario === undefined ? {} : { scenario }),
      ...(state === undefined ? {} : { state }),
    }) as { listing: string }[];
  return rows.map((row) => JSON.parse(row.listing) as SessionListing);
}

function positionOf(database: Database, session_id: string): number {
  const row = database.query("SELECT position FROM sessions WHERE session_id = $session_id").get({ session_id });
  if (row === null) throw new Failure("unknown_session", `there is no session ${session_id}`);
  return (row as { position: number }).position;
}
