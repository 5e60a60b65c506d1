import { RE2JS } from "re2js";
import { Mistake, wordsOf } from "../../domain/failure.ts";
import { OverLimit } from "../../runtime/bounded.ts";
import { Pace } from "../../runtime/pace.ts";
import { compilePattern, STEPS_AT_ONCE } from "../../runtime/pattern.ts";

/** Characters of a pattern. */
const PATTERN_CHARS = 500;

/** Instructions of a pattern's program. */
const PROGRAM_SIZE = 2_000;

interface FoundLine {
  /** From 1. */
  readonly number: number;
  readonly line: string;
}

/**
 * Searches lines for a model's regular expression. The event loop runs between steps, and the search ends when `signal`
 * fires.
 */
export class Search {
  readonly #line: RE2JS;
  /** Tells whether any line can match; undefined when each line must be searched. */
  readonly #anywhere: RE2JS | undefined;
  readonly #size: number;
  readonly #signal: AbortSignal;
  readonly #pace = new Pace();
  #shortened = false;

  /** @throws Mistake for a pattern that is none, or too large. */
  constructor(pattern: string, signal: AbortSignal) {
    this.#signal = signal;
    this.#line = compile(pattern);
    this.#size = this.#line.programSize();
    // Anchors to the whole text mean the line.
    this.#anywhere = /\\[AzZ]/.test(pattern) ? undefined : RE2JS.compile(pattern, RE2JS.MULTILINE);
  }

  /** Characters of a line that are searched. */
  get longest_line(): number {
    return Math.floor(STEPS_AT_ONCE / this.#size);
  }

  /** Some line was longer. */
  get shortened(): boolean {
    return this.#shortened;
  }

  /** Lets the event loop run after enough files. @throws the signal's reason. */
  async entry(): Promise<void> {
    await this.#pace.entry();
    this.#signal.throwIfAborted();
  }

  /** Finds at most `limit` lines that match. @throws the signal's reason. */
  async linesIn(text: string, limit: number): Promise<readonly FoundLine[]> {
    if (text.length <= this.longest_line && !(await this.#matches(this.#anywhere, text))) return [];
    const found: FoundLine[] = [];
    let from = 0;
    for (let number = 1; from <= text.length && found.length < limit; number += 1) {
      const newline = text.indexOf("\n", from);
      const line = text.slice(from, newline === -1 ? text.length : newline);
      this.#shortened ||= line.length > this.longest_line;
      if (await this.#matches(this.#line, line.slice(0, this.longest_line))) found.push({ number, line });
      from = newline === -1 ? text.length + 1 : newline + 1;
    }
    return found;
  }

  async #matches(pattern: RE2JS | undefined, text: string): Promise<boolean> {
    await this.#pace.bytes(this.#size * text.length);
    this.#signal.throwIfAborted();
    return pattern === undefined || pattern.test(text);
  }
}

function compile(pattern: string): RE2JS {
  if (pattern.length > PATTERN_CHARS) throw tooLarge();
  try {
    return compilePattern(pattern, 0, PROGRAM_SIZE);
  } catch (error) {
    if (error instanceof OverLimit) throw tooLarge();
    throw new Mistake(`pattern: ${wordsOf(error)}`);
  }
}

const tooLarge = () => new Mistake("pattern: it is too large, or repeats too much; write a plainer one.");
