import picomatch from "picomatch";

/** As everywhere in a scenario: dot files count like any other, a leading `!` is part of the name. */
export const GLOB_OPTIONS = { dot: true, nonegate: true } as const;

/** Whether any of some globs fits a path. */
export function matchesAny(globs: readonly string[]): (path: string) => boolean {
  return globs.length === 0 ? () => false : picomatch([...globs], GLOB_OPTIONS);
}

/** The directories, or files, below which everything lies that the globs can match; "" is the top. */
export function basesOf(globs: readonly string[]): readonly string[] {
  // The scanner knows negation only; here `!` is a character.
  const bases = globs.map((glob) => (glob.startsWith("!") ? "" : picomatch.scan(glob).base.replace(/\/$/, "")));
  const sorted = [...new Set(bases)].toSorted();
  return sorted.filter(
    (base) => !sorted.some((other) => other !== base && (other === "" || base.startsWith(`${other}/`))),
  );
}
