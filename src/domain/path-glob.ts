import { ANY, fitsPattern, fitsText, type GlobEffort, type Token } from "./wildcards.ts";

/** Characters of a glob. Longer ones are generated, and what a match costs grows with them. */
export const GLOB_CHARS = 500;

/** Characters of everything that the braces of one glob stand for; bounds a match together with the length of a path. */
const EXPANDED_CHARS = 4_000;

/** Patterns of other glob dialects, which are refused. */
const EXTENDED = /[@!?+*]\(|\([^()]*\||\{[^{},]*\.\.[^{},]*\}|\[\[:/;

/** Why a glob cannot be used, as words that follow its name; null when it can. */
export function globFault(glob: string): string | null {
  if (glob.length > GLOB_CHARS) return `is longer than ${GLOB_CHARS} characters`;
  if (EXTENDED.test(glob)) return "uses a pattern that is not supported; there are *, **, ?, [a-z] and {a,b}";
  return expanded(glob) === undefined ? `stands for more than ${EXPANDED_CHARS} characters without its braces` : null;
}

/**
 * Whether any of some globs fits a path of the workspace. `*` and `?` stop at slashes, `**` does not; `[a-z]`, `[!a-z]`,
 * `{a,b}` and `\` are known. Dot files count like any other, a leading `!` is part of the name, `[id]` also fits itself.
 * Time: at most the length of the globs times that of the path, whatever either holds; a RegExp would give no such bound.
 */
export function globMatcher(globs: readonly string[], effort: GlobEffort = { steps: 0 }): (path: string) => boolean {
  const patterns = [...new Set(globs.flatMap(alternatives))].map(segmentsOf);
  return (path) => {
    const steps = path.split("/");
    const fitsAt = (segment: OneStep, at: number) => fitsStep(segment, steps[at] ?? "", effort);
    return patterns.some((pattern) => fitsPattern(pattern, steps.length, fitsAt, effort));
  };
}

/** As `globMatcher`; what lies below a directory that fits, fits too. */
export const treeMatcher = (globs: readonly string[]): ((path: string) => boolean) =>
  globMatcher(globs.flatMap((glob) => [glob, `${glob}/**`]));

/** A glob that fits a path, whatever signs it holds; in the place of a bracket or brace that could open a pattern any sign fits. */
export const literalGlob = (path: string): string =>
  path.replace(/[*?[\]\\({]|^!/g, (sign) => (/[({]/.test(sign) ? "?" : `\\${sign}`));

/** The directories or files that hold everything which the globs can fit; "" is the top. */
export function globBases(globs: readonly string[]): readonly string[] {
  const bases = globs.flatMap(alternatives).map((glob) => {
    const segments = segmentsOf(glob);
    const magic = segments.findIndex((segment) => typeof segment !== "string");
    return segments.slice(0, magic === -1 ? segments.length : magic).join("/");
  });
  const sorted = [...new Set(bases)].toSorted();
  return sorted.filter(
    (base) => !sorted.some((other) => other !== base && (other === "" || base.startsWith(`${other}/`))),
  );
}

/** A glob whose expansion is too long is taken as it is written. */
const alternatives = (glob: string): readonly string[] => expanded(glob) ?? [glob];

/** The globs without braces; undefined when they are too long. */
function expanded(glob: string): readonly string[] | undefined {
  const pending = [glob];
  const done: string[] = [];
  let chars = glob.length;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const parts = splitBraces(next);
    if (parts === undefined) {
      done.push(next);
      continue;
    }
    chars += parts.reduce((sum, part) => sum + part.length, 0) - next.length;
    if (chars > EXPANDED_CHARS) return undefined;
    pending.push(...parts);
  }
  return done;
}

/** The glob once for each alternative of its first closed braces; undefined when it has none. */
function splitBraces(glob: string): readonly string[] | undefined {
  const open: number[][] = [];
  for (const { 0: sign, index } of glob.matchAll(/\\.|[{},]/g)) {
    if (sign === "{") open.push([index]);
    else if (sign === ",") open.at(-1)?.push(index);
    else if (sign === "}") {
      const cuts = open.pop() ?? [];
      if (cuts.length > 1) return alternativesAt(glob, [...cuts, index]);
    }
  }
  return undefined;
}

function alternativesAt(glob: string, cuts: readonly number[]): readonly string[] {
  const [first = 0] = cuts;
  const last = cuts.at(-1) ?? first;
  return cuts.slice(1).map((end, index) => {
    const start = cuts[index] ?? first;
    return glob.slice(0, first) + glob.slice(start + 1, end) + glob.slice(last + 1);
  });
}

interface Wildcard {
  readonly written: string;
  readonly tokens: readonly Token[];
  /** What every text that fits begins and ends with. */
  readonly head: string;
  readonly tail: string;
}

/** Text fits only itself. */
type OneStep = Wildcard | string;

/** `ANY` is written `**` here. */
type Segment = typeof ANY | OneStep;

function segmentsOf(glob: string): readonly Segment[] {
  const written = glob.replace(/^(?:\.\/+)+/, "").split(/\/+/);
  return written.flatMap((text): readonly Segment[] => {
    if (/^\*{2,}$/.test(text)) return [ANY];
    // `**.ts` means `**/*.ts`.
    if (text.startsWith("**")) return [ANY, stepOf(text.replace(/^\*+/, "*"))];
    return [stepOf(text)];
  });
}

function stepOf(written: string): OneStep {
  if (!/[*?[\\]/.test(written)) return written;
  const parts: ReturnType<typeof tokenAt>[] = [];
  for (let at = 0; at < written.length; at += parts.at(-1)?.length ?? 1) parts.push(tokenAt(written, at));
  const chars = parts.map(({ char }) => char);
  const wild = chars.indexOf(undefined);
  if (wild === -1) return chars.join("");
  return {
    written,
    tokens: parts.map(({ token }) => token),
    head: chars.slice(0, wild).join(""),
    tail: chars.slice(chars.lastIndexOf(undefined) + 1).join(""),
  };
}

function tokenAt(text: string, at: number): { readonly token: Token; readonly length: number; readonly char?: string } {
  const char = text.charAt(at);
  if (char === "*") return { token: ANY, length: /^\*+/.exec(text.slice(at))?.[0].length ?? 1 };
  if (char === "?") return { token: () => true, length: 1 };
  const set = char === "[" ? /^\[([!^]?)(\]?(?:\\.|[^\]\\])*)\]/.exec(text.slice(at)) : null;
  if (set) return { token: charIn(set[2] ?? "", set[1] !== ""), length: set[0].length };
  const escaped = char === "\\" && at + 1 < text.length;
  const wanted = escaped ? text.charAt(at + 1) : char;
  return { token: (given) => given === wanted, length: escaped ? 2 : 1, char: wanted };
}

function charIn(set: string, negated: boolean): (char: string) => boolean {
  const chars = set.replace(/\\(.)/g, "$1");
  const ranges: [string, string][] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const isRange = chars[at + 1] === "-" && at + 2 < chars.length;
    ranges.push([chars.charAt(at), chars.charAt(isRange ? at + 2 : at)]);
    if (isRange) at += 2;
  }
  return (char) => ranges.some(([low, high]) => low <= char && char <= high) !== negated;
}

function fitsStep(segment: OneStep, step: string, effort: GlobEffort): boolean {
  if (typeof segment === "string") return segment === step;
  const { written, tokens, head, tail } = segment;
  if (written === step) return true;
  return step.startsWith(head) && step.endsWith(tail) && fitsText(tokens, step, effort);
}
