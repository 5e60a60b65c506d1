import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Failure } from "../../domain/failure.ts";
import { SessionListing } from "../../domain/session.ts";
import type { SessionQuery } from "../store.ts";
import type { Database } from "./database.ts";

/** Newest first, without rows that are damaged. @throws Failure `unknown_session` for `before`. */
export function readListings(
  database: Database,
  { scenario, state, limit, before }: SessionQuery,
): readonly SessionListing[] {
  const conditions = ["position < $position"];
  if (scenario !== undefined) conditions.push("scenario = $scenario");
  if (state !== undefined) conditions.push("state = $state");
  const rows = database
    .query(`SELECT listing FROM sessions WHERE ${conditions.join(" AND ")} ORDER BY position DESC`)
    .iterate({
      position: before === undefined ? Number.MAX_SAFE_INTEGER : positionOf(database, before),
      ...(scenario === undefined ? {} : { scenario }),
      ...(state === undefined ? {} : { state }),
    }) as IterableIterator<{ listing: string }>;
  const listings: SessionListing[] = [];
  for (const { listing } of rows) {
    if (listings.length === limit) break;
    listings.push(...parsed(listing));
  }
  return listings;
}

const CHECK = TypeCompiler.Compile(SessionListing);

function parsed(listing: string): readonly SessionListing[] {
  try {
    const row: unknown = JSON.parse(listing);
    return CHECK.Check(row) ? [row] : [];
  } catch {
    return [];
  }
}

function positionOf(database: Database, session_id: string): number {
  const row = database.query("SELECT position FROM sessions WHERE session_id = $session_id").get({ session_id });
  if (row === null) throw new Failure("unknown_session", `there is no session ${session_id}`);
  return (row as { position: number }).position;
}
