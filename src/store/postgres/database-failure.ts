import { Failure, wordsOf } from "../../domain/failure.ts";

/** Says in words what went wrong and what to do about it; the password is never in it. */
export function databaseFailure(error: unknown, { name, user, database, secrets }: DatabaseAddress): Failure {
  if (error instanceof Failure) return error;
  const { code, state } = codesOf(error);
  if (state === "53100")
    return new Failure("storage_full", `${name}: the disk of the database is full; free some space and try again`, {
      retryable: true,
    });
  if (state === "57014")
    return new Failure("overloaded", "the database stopped this search after 10 s: narrow it down", {
      retryable: true,
    });
  const known = WORDS[state]?.({ user, database, hasPassword: secrets.length > 0 });
  if (known) return new Failure("storage_failed", `${name}: ${known}`, { retryable: isConnectionLoss(error) });
  if (isConnectionLoss(error))
    return new Failure(
      "storage_failed",
      `${name}: cannot be reached (${state || code}); is the server running there?`,
      {
        retryable: true,
      },
    );
  const message = wordsOf(error);
  const safe = secrets.reduce((text, secret) => text.replaceAll(secret, "[redacted]"), message);
  return new Failure("storage_failed", `${name}: ${safe}`);
}

/** The same may succeed on another connection, or a moment later. */
export function isConnectionLoss(error: unknown): boolean {
  const { code, state } = codesOf(error);
  return (state === "" && code.startsWith("ERR_POSTGRES_CONNECTION")) || AGAIN.test(state);
}

/**
 * SQLSTATE classes: connection lost, read-only (before a standby is promoted), rolled back in favour of others, too many
 * connections, server going down or coming up.
 */
const AGAIN = /^(08...|25006|40001|40P01|53300|57P0[1235]|25P03)$/;

/** The server takes no writes: it is a standby, or was made read-only. */
export const isReadOnly = (error: unknown): boolean => codesOf(error).state === "25006";

/** Why a session keeps nothing, and what to do. */
export const POOLED = "as with a pooler in transaction mode; set ABEVAL_DATABASE_LISTEN_URL to the server itself";

interface Asked extends Pick<DatabaseAddress, "user" | "database"> {
  readonly hasPassword: boolean;
}

const WORDS: Readonly<Record<string, (asked: Asked) => string>> = {
  "28P01": ({ user, hasPassword }) =>
    hasPassword
      ? `the server refuses the password of ${user}`
      : `${user} needs a password: put it into PGPASSWORD or ABEVAL_DATABASE_URL`,
  "28000": ({ user }) => `the server lets ${user} not in: is there such a role, and does pg_hba.conf allow it?`,
  "3D000": ({ database }) => `there is no database ${database}; create it: createdb ${database}`,
  "42501": ({ user, database }) =>
    `${user} lacks rights; at the first start it needs them to create schemas: GRANT CREATE ON DATABASE ${database} TO ${user}`,
  "25006": () => "takes no writes (25006): it is a standby, or was made read-only",
  "53300": () =>
    "has no connection left (53300); each process of abeval has 9 at most: raise max_connections, or run fewer processes",
  "53200": () => "the server is out of memory (53200)",
  "26000": () => `statements get lost, ${POOLED}`,
  "42P05": () => `statements of others are in the way, ${POOLED}`,
};

/** `state` is the server's SQLSTATE, empty when it said nothing. */
export function codesOf(error: unknown): { readonly code: string; readonly state: string } {
  const { code, errno } = Object(error) as { readonly code?: unknown; readonly errno?: unknown };
  return { code: typeof code === "string" ? code : "", state: typeof errno === "string" ? errno : "" };
}

/** Where a database is. */
export interface DatabaseAddress {
  /** The address with its password. */
  readonly url: string;
  readonly database: string;
  readonly user: string;
  /** The address that people see, without password and parameters. */
  readonly name: string;
  /** What no message may hold: the password, as it is and as the URL has it. */
  readonly secrets: readonly string[];
}

/** @throws Failure `invalid_request`, which does not repeat what was given */
export function databaseAddress(given: string): DatabaseAddress {
  const url = URL.parse(given);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol) || url.hostname === "" || url.username === "")
    throw new Failure("invalid_request", "a database URL looks like postgres://user:password@host:5432/database");
  const user = decoded(url.username);
  const database = decoded(url.pathname.slice(1)) || user;
  const secrets = [url.password, decoded(url.password), ...url.searchParams.getAll("password")].filter(Boolean);
  return { url: given, database, user, name: `postgres://${user}@${url.host}/${database}`, secrets };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
