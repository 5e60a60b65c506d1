/** One fault, tried once. `run` throws when what was promised does not hold; its message says what was expected. */
export interface Case {
  readonly name: string;
  run(): Promise<void>;
}

export interface Setting {
  /** Every case is a function of this and of its place in the campaign. */
  readonly seed: number;
  /** How many cases stand for `full` of them in this run. */
  readonly count: (full: number) => number;
  /** What the cases share; disposed of when the last has ended. */
  readonly shared: AsyncDisposableStack;
}

export interface Campaign {
  /** What is done to the program, in a few words. */
  readonly about: string;
  /** Cases that may run side by side. */
  readonly at_once: number;
  readonly cases: (setting: Setting) => Promise<readonly Case[]>;
}

/** Thrown by a case that cannot be tried on this machine; counted apart. */
export class Skip extends Error {
  override readonly name = "Skip";
}

/** `count` cases from a function of their place. */
export const numbered = (count: number, make: (index: number) => Case): readonly Case[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** @throws Error with what was expected and what was found. */
export function hold(isSo: boolean, expected: string, found: unknown = ""): asserts isSo {
  if (isSo) return;
  const text = typeof found === "string" ? found : JSON.stringify(found);
  throw new Error(`expected ${expected}${text ? `\n  found: ${text.slice(0, 2_000)}` : ""}`);
}

/** The limit is a failure of the case, whatever `work` goes on doing. */
export async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`expected ${what} within ${ms} ms`)), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
