import type { TSchema } from "@sinclair/typebox";
import type { LooseRecord } from "./lenient.ts";

const known = new WeakMap<TSchema, LooseRecord>();

/** A schema without TypeBox's symbols, with which it takes four times as long to send; made once, for many calls. */
export function wireSchema(schema: TSchema): LooseRecord {
  const plain = known.get(schema) ?? (JSON.parse(JSON.stringify(schema)) as LooseRecord);
  known.set(schema, plain);
  return plain;
}
