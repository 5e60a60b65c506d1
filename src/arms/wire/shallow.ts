import { asRecord, isNested } from "../../domain/lenient.ts";

/** Levels of nesting that are read. What people and models write has a few; many more would overflow the stack. */
const LEVELS = 200;

const TOO_DEEP = "[nested too deep]";

/** A value that code may walk over: of an object the fields that are nested too deep are replaced, so that the others are seen. */
export function shallow(value: unknown): unknown {
  if (!isNested(value, LEVELS)) return value;
  const record = asRecord(value);
  if (record === undefined) return TOO_DEEP;
  return Object.fromEntries(
    Object.entries(record).map(([field, inner]) => [field, isNested(inner, LEVELS - 1) ? TOO_DEEP : inner]),
  );
}
