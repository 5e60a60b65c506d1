import { breathe } from "../../../runtime/pace.ts";

/** Items sorted at once; what is larger is sorted in parts. */
const PART = 4_000;

/** By path, as strings are compared; others have their turn between the parts. */
export async function sortedByPath<T extends { readonly path: string }>(items: readonly T[]): Promise<readonly T[]> {
  if (items.length <= PART) return items.toSorted(byPath);
  await breathe();
  const middle = items.length >> 1;
  const left = await sortedByPath(items.slice(0, middle));
  const right = await sortedByPath(items.slice(middle));
  const merged: T[] = [];
  let at = 0;
  for (const item of left) {
    for (let other = right[at]; other !== undefined && other.path < item.path; other = right[at]) {
      merged.push(other);
      at += 1;
    }
    merged.push(item);
  }
  return merged.concat(right.slice(at));
}

const byPath = (a: { readonly path: string }, b: { readonly path: string }) => (a.path < b.path ? -1 : 1);
