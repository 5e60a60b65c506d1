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
  let separator = "[";
  for (const item of list) {
    pieces.push(separator);
    write(item, pieces);
    separator = ",";
  }
  pieces.push(separator === "[" ? "[]" : "]");
}

function writeObject(object: object, pieces: string[]): void {
  let separator = "{";
  for (const key of Object.keys(object).sort()) {
    const entry: unknown = Reflect.get(object, key);
    if (entry === undefined) continue;
    pieces.push(separator, JSON.stringify(key), ":");
    write(entry, pieces);
    separator = ",";
  }
  pieces.push(separator === "{" ? "{}" : "}");
}
