import type { TSchema } from "@sinclair/typebox";
import type { LooseRecord } from "./lenient.ts";

const known = new WeakMap<object, unknown>();

/** A schema without TypeBox's symbols, with which it takes four times as long to send. Each part is made once. */
export const wireSchema = (schema: TSchema): LooseRecord => plain(schema) as LooseRecord;

function plain(part: unknown): unknown {
  if (typeof part !== "object" || part === null) return part;
  const made = known.get(part) ?? copy(part);
  known.set(part, made);
  return made;
}

const copy = (part: object): unknown =>
  Array.isArray(part) ? part.map(plain) : Object.fromEntries(Object.entries(part).map(([key, of]) => [key, plain(of)]));
