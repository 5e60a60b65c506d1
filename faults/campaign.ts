/** One fault, tried once. `run` throws when a promise does not hold. The message says what was expected. */
export interface Case {
  readonly name: string;
  run(): Promise<void>;
}

export interface Setting {
  /** A case follows from the seed and its place in the campaign alone. */
  readonly seed: number;
  /** The number of cases to try of `full`, by the scale of this run. */
  readonly count: (full: number) => number;
  /** What the cases share. It is disposed of after the last case. */
  readonly shared: AsyncDisposableStack;
}

export interface Campaign {
  /** What is done to the program, in a few words. */
  readonly about: string;
  /** How many cases run side by side. */
  readonly at_once: number;
  readonly cases: (setting: Setting) => Promise<readonly Case[]>;
}

/** Thrown by a case that this machine cannot try. Such cases are counted apart. */
export class Skip extends Error {
  override readonly name = "Skip";
}

/** `count` cases, each made from its place. */
export const numbered = (count: number, make: (index: number) => Case): readonly Case[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** @throws Error with what was expected and what was found. */
export function hold(isSo: boolean, expected: string, found: unknown = ""): asserts isSo {
  if (isSo) return;
  const text = typeof found === "string" ? found : JSON.stringify(found);
  throw new Error(`expected ${expected}${text ? `\n  found: ${text.slice(0, 2_000)}` : ""}`);
}

/** @throws Error when `work` takes longer. It is not stopped. */
export async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`expected ${what} within ${ms} ms`)), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
