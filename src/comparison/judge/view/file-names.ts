import type { JudgedArm } from "../judge.ts";

/** Words joined by dots and slashes, as paths are. A match begins only where no other could, so that no character is read twice. */
const JOINED = /(?<![\w-])-*(\w[\w-]*(?:[./][\w-]+)*)/g;

/**
 * What files are called in a masked repetition: `file-1.ts`, the same for both arms. A path is an arm's word where the arm made
 * the file. Paths that the brief gives stay, because the judge reads it anyway.
 */
export function fileNames(arms: readonly Pick<JudgedArm, "summary">[], brief: string): (path: string) => string {
  const given = new Set(brief.matchAll(JOINED).map(([, joined]) => joined));
  const paths = arms.flatMap(({ summary: { changes } }) => (changes?.files ?? []).map(({ path }) => path));
  const numbers = new Map([...new Set(paths)].toSorted().map((path, index) => [path, index + 1]));
  return (path) => {
    if (/[./]/.test(path) && given.has(path)) return path;
    const number = numbers.get(path) ?? numbers.size + 1;
    numbers.set(path, number);
    return `file-${number}${IS_TEST.test(path) ? ".test" : ""}${/\.[A-Za-z0-9]{1,5}$/.exec(path)?.[0] ?? ""}`;
  };
}

const IS_TEST = /\.(?:test|spec)\.|test_/;
