import type { SchemaObject } from "../../domain/published-schema.ts";

/** The same schema, with what it repeats written once under `$defs` where that is shorter, named after its first field. */
export function shareRepeated(schema: SchemaObject): SchemaObject {
  const uses = usesIn(schema);
  const names = new Map<string, string>();
  const definitions = new Map<string, SchemaObject>();
  const share = (part: SchemaObject, field: string): SchemaObject => {
    const text = JSON.stringify(part);
    if (!isWorthAName(text, uses.get(text) ?? 0)) return withParts(part, share, field);
    const name = names.get(text) ?? unusedName(field, new Set(names.values()));
    if (!names.has(text)) {
      names.set(text, name);
      definitions.set(name, withParts(part, share, field));
    }
    return { $ref: `#/$defs/${name}` };
  };
  const whole = withParts(schema, share);
  return { ...whole, ...(definitions.size > 0 && { $defs: Object.fromEntries(definitions) }) };
}

/** How often each schema stands in this one. What is in a repeated one counts once. */
function usesIn(schema: SchemaObject): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  const count = (part: SchemaObject): SchemaObject => {
    const text = JSON.stringify(part);
    const before = uses.get(text) ?? 0;
    uses.set(text, before + 1);
    return before === 0 ? withParts(part, count) : part;
  };
  withParts(schema, count);
  return uses;
}

/** A schema that is shorter is written again: a reference and a name would be no shorter. */
const LEAST_LENGTH = 60;

const isWorthAName = (text: string, uses: number): boolean => uses > 1 && text.length >= LEAST_LENGTH;

function unusedName(field: string, taken: ReadonlySet<string>): string {
  let name = field;
  for (let number = 2; taken.has(name); number++) name = `${field}${number}`;
  return name;
}

/** The schema with each that stands in it replaced. `field` is the property that it belongs to. */
export function withParts(
  schema: SchemaObject,
  replace: (part: SchemaObject, field: string) => SchemaObject,
  field = "",
): SchemaObject {
  const replaced = ([keyword, value]: [string, unknown]): unknown => {
    if (keyword === "properties" || keyword === "$defs") return mapped(value as Record<string, SchemaObject>, replace);
    if (keyword === "anyOf") return (value as readonly SchemaObject[]).map((part) => replace(part, field));
    if (keyword !== "items" && keyword !== "additionalProperties") return value;
    return typeof value === "object" ? replace(value as SchemaObject, field) : value;
  };
  return Object.fromEntries(Object.entries(schema).map((entry) => [entry[0], replaced(entry)]));
}

const mapped = (
  parts: Readonly<Record<string, SchemaObject>>,
  replace: (part: SchemaObject, field: string) => SchemaObject,
) => Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, replace(part, name)]));
