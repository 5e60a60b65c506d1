import type { Static, TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";
import { asRecord } from "../domain/lenient.ts";

/** A reader of what another version or a hand may have changed: undefined when it is no JSON or does not fit. */
export function storedJson<T extends TSchema>(schema: T): (text: string | null) => Static<T> | undefined {
  let check: TypeCheck<T> | undefined;
  return (text) => {
    // Compiled with the first row: a program that starts reads none.
    check ??= TypeCompiler.Compile(schema);
    try {
      const value: unknown = JSON.parse(text ?? "");
      return check.Check(value) ? value : fitted(schema, value);
    } catch {
      return undefined;
    }
  };
}

/** The value without the fields that a newer version has added; undefined when it does not fit all the same. */
export function fitted<T extends TSchema>(schema: T, value: unknown): Static<T> | undefined {
  const known = knownIn(schema, value);
  return Value.Check(schema, known) ? known : undefined;
}

function knownIn(schema: TSchema, value: unknown): unknown {
  const { anyOf, items, properties, patternProperties } = schema as Partial<Record<string, TSchema>>;
  if (Array.isArray(anyOf)) return knownInOneOf(anyOf as readonly TSchema[], value);
  if (Array.isArray(value)) return items && !Array.isArray(items) ? value.map((item) => knownIn(items, item)) : value;
  const record = asRecord(value);
  const [each] = Object.values<TSchema>(patternProperties ?? {});
  if (record === undefined || (properties ?? each) === undefined) return value;
  const schemaOf = (name: string) =>
    properties === undefined ? each : Object.hasOwn(properties, name) ? (properties[name] as TSchema) : undefined;
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, item]) => {
      const own = schemaOf(name);
      return own === undefined ? [] : [[name, knownIn(own, item)]];
    }),
  );
}

function knownInOneOf(schemas: readonly TSchema[], value: unknown): unknown {
  for (const schema of schemas) {
    const known = knownIn(schema, value);
    if (Value.Check(schema, known)) return known;
  }
  return value;
}
