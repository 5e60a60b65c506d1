import type { FieldPath, Problems } from "../authored/problems.ts";

const MAX_DERIVED = 40;

/** An id made of words: lower-case letters and digits joined by dashes; `fallback` when the words have none. */
export function slugOf(words: string, fallback: string): string {
  const slug = words
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "");
  const short = slug.length > MAX_DERIVED ? slug.slice(0, MAX_DERIVED + 1).replace(/-[^-]*$/, "") : slug;
  return short.slice(0, MAX_DERIVED).replace(/-$/, "") || fallback;
}

/** An entry's own id, or the one that is proposed for it. */
interface IdClaim {
  readonly given: string | undefined;
  readonly proposed: string;
}

/** One id for each entry. Given ids stay; proposed ones get a number where they collide. */
export function assignIds(claims: readonly IdClaim[]): string[] {
  const taken = new Set(claims.flatMap(({ given }) => given ?? []));
  return claims.map(({ given, proposed }) => {
    if (given !== undefined) return given;
    let id = proposed;
    for (let count = 2; taken.has(id); count++) id = `${proposed}-${count}`;
    taken.add(id);
    return id;
  });
}

/** Adds a problem for each id that an earlier entry of the list already has. */
export function checkDistinct(problems: Problems, list: FieldPath, ids: readonly (string | undefined)[]): void {
  const seen = new Set<string>();
  for (const [index, id] of ids.entries()) {
    if (id === undefined) continue;
    if (seen.has(id)) problems.add([...list, index, "id"], `"${id}" is taken; ids must differ`);
    seen.add(id);
  }
}
