import type { Static, TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";

/** A reader of what another version or a hand may have changed: undefined when it is no JSON or has another shape. */
export function storedJson<T extends TSchema>(schema: T): (text: string | null) => Static<T> | undefined {
  let check: TypeCheck<T> | undefined;
  return (text) => {
    // Compiled with the first row: a program that starts reads none.
    check ??= TypeCompiler.Compile(schema);
    try {
      const value: unknown = JSON.parse(text ?? "");
      return check.Check(value) ? value : undefined;
    } catch {
      return undefined;
    }
  };
}
