import type { TSchema } from "@sinclair/typebox";
import { publish, type SchemaObject, withoutPatterns } from "../domain/published-schema.ts";
import { bare } from "../domain/schema.ts";

/** Named schemas, each kept once. Where one contains another, a `$ref` stands. */
export class Components {
  readonly #schemas = new Map<string, SchemaObject>();
  readonly #sources = new Map<string, string>();

  /** Sorted by name. */
  get schemas(): Readonly<Record<string, SchemaObject>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The schema, or a reference to it when it has a name. @throws Error when one name stands for two schemas. */
  refer(schema: TSchema): SchemaObject {
    const name = schema.$id;
    if (name === undefined) return this.#render(schema);
    const named = bare(schema);
    if (named !== schema) return { ...this.refer(named), description: schema.description };
    const source = JSON.stringify(schema);
    const filed = this.#sources.get(name);
    if (filed === undefined) {
      this.#sources.set(name, source);
      this.#schemas.set(name, this.#render(schema));
    } else if (filed !== source) throw new Error(`two schemas are named ${name}`);
    return { $ref: `#/components/schemas/${name}` };
  }

  #render(schema: TSchema): SchemaObject {
    return withoutPatterns(publish(schema, (part) => this.refer(part)));
  }
}
