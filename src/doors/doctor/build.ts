import { NEED_OF_PROTOCOLS, protocolsAmong } from "../../comparison/planning/needs.ts";
import { LOG_VERSION } from "../../domain/session-entry.ts";
import { ON_BUN } from "../../runtime/on-bun.ts";
import { commit, version } from "../../runtime/version.ts";

/** What decides whether two programs can share sessions. */
interface Build {
  readonly version: string;
  /** Absent: it runs from the sources, or was built outside a clone. */
  readonly commit?: string;
  /** The versions of the tables; absent where there is no database. */
  readonly schema?: { readonly sqlite: number; readonly postgres: number };
  /** The version of the log of a session. */
  readonly log: number;
  /** A worker takes work that was accepted under these; under earlier ones when no older worker is left. */
  readonly protocols: readonly string[];
}

/** Loads the stores, which say what they write. */
export async function readBuild(): Promise<Build> {
  const schema = ON_BUN ? { schema: await schemaVersions() } : {};
  const protocols = protocolsAmong([NEED_OF_PROTOCOLS]).flatMap((words) => words.split("+"));
  return { version, ...(commit && { commit }), ...schema, log: LOG_VERSION, protocols };
}

async function schemaVersions() {
  const [{ SQLITE_SCHEMA: sqlite }, { POSTGRES_SCHEMA: postgres }] = await Promise.all([
    import("../../store/sqlite/database.ts"),
    import("../../store/postgres/schema.ts"),
  ]);
  return { sqlite, postgres };
}
