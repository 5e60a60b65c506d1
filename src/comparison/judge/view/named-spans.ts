import { posix } from "node:path";
import type { TextSpan } from "./identity-redactor.ts";

export interface Names {
  /** In small letters: names of files and directories that mean nothing else. */
  readonly telling: ReadonlySet<string>;
  /** In small letters: names of skills and commands that are words of the language, too. */
  readonly plain: ReadonlySet<string>;
}

/** Which paths and names are to be found. */
export interface Naming {
  readonly names: Names;
  readonly isNote: (path: string) => boolean;
}

/** Shorter ones are found in too much. */
const NAME_CHARS = 4;

export function notedNames(files: readonly string[], made: readonly string[], known: string): Names {
  const bases = [...files, ...made].flatMap((path) => {
    const base = posix.basename(path);
    return [base, base.slice(0, base.length - posix.extname(base).length)];
  });
  const given = known.toLowerCase();
  const all = [...new Set(bases.map((name) => name.toLowerCase()))].filter(
    (name) => name.length >= NAME_CHARS && !given.includes(name),
  );
  const isTelling = (name: string) => /[^\p{L}]/u.test(name.replace(/^\./, "")) || name.startsWith(".");
  return { telling: new Set(all.filter(isTelling)), plain: new Set(all.filter((name) => !isTelling(name))) };
}

/** A path, or a name alone. */
const PATH = /[\p{L}\p{N}_.@+~-]+(?:\/+[\p{L}\p{N}_.@+~-]+)*/gu;
const STEP = /[^/]+/g;

export function* namedSpans(text: string, { names, isNote }: Naming): Generator<TextSpan> {
  for (const { 0: path, index } of text.matchAll(PATH)) {
    const bare = path.replace(/[.-]+$/, "");
    if (tails(bare).some(isNote)) {
      yield [index, index + bare.length];
      continue;
    }
    for (const { 0: step, index: at } of bare.matchAll(STEP)) yield* spansOfStep(text, index + at, step, names);
  }
}

/** A name with its ending, or without. */
function* spansOfStep(text: string, start: number, step: string, { telling, plain }: Names): Generator<TextSpan> {
  for (const name of [step, step.replace(/\.\w+$/, "")].map((one) => one.toLowerCase())) {
    const end = start + name.length;
    if (telling.has(name) || (plain.has(name) && isIntroduced(text, start, end))) yield [start, end];
  }
}

/** A path as it would be from each of its first directories on: nobody knows where it starts. */
const tails = (path: string): readonly string[] => {
  const steps = path.split(/\/+/);
  return steps.slice(0, TAIL_STEPS).map((_, index) => steps.slice(index).join("/"));
};
const TAIL_STEPS = 12;

/** `the dates skill`, `skill: dates`, `/dates`: elsewhere it is an ordinary word. */
const isIntroduced = (text: string, start: number, end: number): boolean =>
  /(?:\b(?:skill|command)s?["'`:]{0,3}\s*["'`]?|[/])$/i.test(text.slice(Math.max(0, start - 16), start)) ||
  /^["'`]?\s+(?:skill|slash command|command)\b/i.test(text.slice(end, end + 20));
