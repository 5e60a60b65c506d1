import { ANY, fitsText, type Token } from "../../../domain/wildcards.ts";

/** Any number of steps, also none. */
export const ANY_STEPS = Symbol("**");

/** One line of a .gitignore file. */
export interface Rule {
  /** Never empty, never two `ANY_STEPS` in a row or one at the end. */
  readonly pattern: readonly (typeof ANY_STEPS | FitsStep)[];
  /** Paths that fit are not ignored. */
  readonly negated: boolean;
  readonly only_directories: boolean;
}

/** Reads a line as git does: see its manual, gitignore(5). */
export function ruleOf(line: string): Rule {
  const negated = line.startsWith("!");
  const [, written = "", slash] = /^(.*?)(\/?)$/s.exec(negated ? line.slice(1) : line) ?? [];
  const only_directories = slash === "/";
  if (!written.includes("/")) return { negated, only_directories, pattern: [ANY_STEPS, stepFits(written)] };
  const plain = written.replace(/^\//, "").replace(/\\(.)/gs, (pair, escaped) => (escaped === "/" ? "/" : pair));
  const steps = plain.split("/");
  const pattern = steps.flatMap((step, at): Rule["pattern"] => {
    if (!isAnySteps(step)) return [stepFits(step)];
    // A directory does not lie in itself: `a/**` is what it holds.
    if (at === steps.length - 1) return [ANY_STEPS, stepFits("*")];
    return isAnySteps(steps[at + 1] ?? "") ? [] : [ANY_STEPS];
  });
  return { negated, only_directories, pattern };
}

const isAnySteps = (step: string) => /^\*\*+$/.test(step);

/** Tells whether a step of a path, a name without slashes, fits. */
type FitsStep = (step: string) => boolean;

const NOTHING: FitsStep = () => false;

/** What a part of a rule between two slashes means to git. */
function stepFits(written: string): FitsStep {
  if (!/[*?[\\]/.test(written)) return (step) => step === written;
  const suffix = /^\*+([^*?[\\]*)$/.exec(written)?.[1];
  if (suffix !== undefined) return (step) => step.endsWith(suffix);
  const tokens = tokensOf(written);
  return tokens ? (step) => fitsText(tokens, step, { steps: 0 }) : NOTHING;
}

/** Undefined for text that fits nothing: a set that is not closed, or a lone backslash. */
function tokensOf(text: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const part = tokenAt(text, at);
    if (!part) return undefined;
    if (part.token !== ANY || tokens.at(-1) !== ANY) tokens.push(part.token);
    at = part.end;
  }
  return tokens;
}

interface Part<T> {
  readonly token: T;
  readonly end: number;
}

type CharTest = (char: string) => boolean;

function tokenAt(text: string, at: number): Part<Token> | undefined {
  const char = text.charAt(at);
  if (char === "*") return { token: ANY, end: at + 1 };
  if (char === "?") return { token: () => true, end: at + 1 };
  if (char === "[") return setAt(text, at + 1);
  const wanted = charAt(text, at);
  return wanted && { token: (given) => given === wanted.token, end: wanted.end };
}

/** @param at behind the bracket */
function setAt(text: string, at: number): Part<CharTest> | undefined {
  const negated = /[!^]/.test(text.charAt(at));
  const first = negated ? at + 1 : at;
  const tests: CharTest[] = [];
  for (let next = first; next < text.length; ) {
    // The first bracket counts as a character.
    if (text[next] === "]" && next > first)
      return { token: (char) => tests.some((test) => test(char)) !== negated, end: next + 1 };
    const member = classAt(text, next) ?? rangeAt(text, next);
    if (!member) return undefined;
    tests.push(member.token);
    next = member.end;
  }
  return undefined;
}

const CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /[a-z\d]/i,
  alpha: /[a-z]/i,
  blank: /[ \t]/,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what the class stands for.
  cntrl: /[\x00-\x1f\x7f]/,
  digit: /\d/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t\n\r]/,
  upper: /[A-Z]/,
  xdigit: /[a-f\d]/i,
};

/** `[:alpha:]`; one that nobody knows has no character. */
function classAt(text: string, at: number): Part<CharTest> | undefined {
  const name = /^\[:([^\]]*):\]/.exec(text.slice(at))?.[1];
  if (name === undefined) return undefined;
  const known = Object.hasOwn(CLASSES, name) ? CLASSES[name] : undefined;
  return { token: (char) => known?.test(char) === true, end: at + name.length + 4 };
}

/** `a-z` or a single character. */
function rangeAt(text: string, at: number): Part<CharTest> | undefined {
  const low = charAt(text, at);
  if (!low) return undefined;
  const isRange = text[low.end] === "-" && low.end + 1 < text.length && text[low.end + 1] !== "]";
  const high = isRange ? charAt(text, low.end + 1) : low;
  return high && { token: (char) => low.token <= char && char <= high.token, end: high.end };
}

function charAt(text: string, at: number): Part<string> | undefined {
  const start = text[at] === "\\" ? at + 1 : at;
  return start < text.length ? { token: text.charAt(start), end: start + 1 } : undefined;
}
