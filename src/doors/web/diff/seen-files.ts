import { seenFiles } from "../preferences.ts";

/** Comparisons whose marks this browser keeps. */
const KEPT = 50;

/** Which files of a comparison the reader is done with; this browser remembers them. */
export const seenIn = (comparison: string): readonly string[] =>
  Object.hasOwn(seenFiles.value, comparison) ? (seenFiles.value[comparison] ?? []) : [];

export function markSeen(comparison: string, path: string, seen: boolean): void {
  const others = seenIn(comparison).filter((each) => each !== path);
  const { [comparison]: _, ...rest } = seenFiles.peek();
  const kept = Object.fromEntries(Object.entries(rest).slice(1 - KEPT));
  seenFiles.value = { ...kept, [comparison]: seen ? [...others, path] : others };
}
