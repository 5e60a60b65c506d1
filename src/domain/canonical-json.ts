/** JSON with sorted keys and no white space: equal values give equal text. Keys without a value are left out. */
export function canonicalJson(value: unknown): string {
  const pieces: string[] = [];
  write(value, pieces);
  return pieces.join("");
}

/** Pieces are joined once, at the end: joined on each level, a text would be copied as often as it lies deep. */
function write(value: unknown, pieces: string[]): void {
  if (Array.isArray(value)) writeList(value, pieces);
  else if (typeof value === "object" && value !== null) writeObject(value, pieces);
  else pieces.push(JSON.stringify(value) ?? "null");
}

function writeList(list: readonly unknown[], pieces: string[]): void {
  pieces.push("[");
  for (const [at, item] of list.entries()) {
    if (at > 0) pieces.push(",");
    write(item, pieces);
  }
  pieces.push("]");
}

function writeObject(object: object, pieces: string[]): void {
  const entries = Object.entries(object)
    .filter(([, entry]) => entry !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  pieces.push("{");
  for (const [at, [key, entry]] of entries.entries()) {
    pieces.push(at > 0 ? "," : "", JSON.stringify(key), ":");
    write(entry, pieces);
  }
  pieces.push("}");
}
