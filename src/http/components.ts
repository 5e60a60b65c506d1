import type { TSchema } from "@sinclair/typebox";

/** A schema as a document holds it. */
export type SchemaObject = Readonly<Record<string, unknown>>;

/** Named schemas, each filed once; wherever one stands in another there is a `$ref`. */
export class Components {
  readonly #schemas = new Map<string, SchemaObject>();
  readonly #sources = new Map<string, string>();

  /** By name, sorted. */
  get schemas(): Readonly<Record<string, SchemaObject>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The schema, or a reference to it when it has a name. @throws Error when one name stands for two schemas. */
  refer(schema: TSchema): SchemaObject {
    const name = schema.$id;
    if (name === undefined) return this.#render(schema);
    const source = JSON.stringify(schema);
    const filed = this.#sources.get(name);
    if (filed === undefined) {
      this.#sources.set(name, source);
      this.#schemas.set(name, this.#render(schema));
    } else if (filed !== source) throw new Error(`two schemas are named ${name}`);
    return { $ref: `#/components/schemas/${name}` };
  }

  #render({ $id: _, ...schema }: TSchema): SchemaObject {
    const choices = literalsOf(schema);
    if (choices) return { ...annotationsOf(schema), type: "string", enum: choices };
    const rendered = Object.entries(schema).map(([keyword, value]) => this.#keyword(keyword, value));
    return Object.fromEntries(rendered);
  }

  #keyword(keyword: string, value: unknown): [string, unknown] {
    if (keyword === "properties") return [keyword, mapValues(value as Record<string, TSchema>, (s) => this.refer(s))];
    if (keyword === "anyOf") return [keyword, (value as TSchema[]).map((schema) => this.refer(schema))];
    if (keyword === "items") return [keyword, this.refer(value as TSchema)];
    // How TypeBox writes a record of strings; generators know the shorter form.
    if (keyword === "patternProperties") {
      const [schema] = Object.values(value as Record<string, TSchema>);
      return ["additionalProperties", schema ? this.refer(schema) : true];
    }
    return [keyword, value];
  }
}

const mapValues = <T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));

/** TypeBox writes a choice of words as a union of literals; readers and generators prefer an enum. */
function literalsOf({ anyOf }: Readonly<Record<string, unknown>>): string[] | undefined {
  if (!Array.isArray(anyOf) || anyOf.length < 2) return undefined;
  const words = anyOf.map((choice) => choice.const);
  return words.every((word) => typeof word === "string") ? words : undefined;
}

const annotationsOf = ({ description, examples }: Readonly<Record<string, unknown>>) => ({
  ...(description !== undefined && { description }),
  ...(examples !== undefined && { examples }),
});
