import { Failure } from "../../domain/failure.ts";

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
