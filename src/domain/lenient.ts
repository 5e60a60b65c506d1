/** Readers of what somebody else wrote. None of them throws, whatever it is. */

export type LooseRecord = Readonly<Record<string, unknown>>;

export function asRecord(value: unknown): LooseRecord | undefined {
  // The type claims only string keys and unknown values, which every object of JSON has.
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as LooseRecord) : undefined;
}

/** The objects of a list; empty for everything else. */
export function asRecords(value: unknown): readonly LooseRecord[] {
  return Array.isArray(value) ? value.map(asRecord).filter((item) => item !== undefined) : [];
}

export function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Characters of a name, an id, or another text that is short by nature. */
export const NAME_CHARS = 128;

/** A name as far as it is kept. */
export function asName(value: unknown): string | undefined {
  const name = asText(value);
  if (name === undefined || name.length <= NAME_CHARS) return name?.toWellFormed();
  // A part of a text would keep the whole text in memory.
  return new TextDecoder().decode(new TextEncoder().encode(name.slice(0, NAME_CHARS)));
}

/** A count of tokens, or null for what cannot be one. */
export function asCount(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** The value at a path of keys; undefined when the path breaks off. */
export function dig(value: unknown, ...path: readonly string[]): unknown {
  let at = value;
  for (const key of path) at = asRecord(at)?.[key];
  return at;
}

/** Whether lists and objects stand in one another more than `levels` deep. Needs no stack, however deep it is. */
export function isNested(value: unknown, levels: number): boolean {
  let layer: readonly unknown[] = [value];
  for (let level = 0; layer.length > 0; level += 1) {
    if (level > levels) return true;
    layer = layer.flatMap(heldIn);
  }
  return false;
}

const NOTHING: readonly never[] = [];

/** No new list for each item: most are texts, and a hundred thousand took 100 ms. */
function heldIn(item: unknown): readonly unknown[] {
  if (typeof item !== "object" || item === null) return NOTHING;
  return Array.isArray(item) ? item : Object.values(item);
}

/** Undefined when it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
