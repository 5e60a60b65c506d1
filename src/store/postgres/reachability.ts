import type { Clock } from "../../runtime/clock.ts";

/** Milliseconds that whoever asks waits at most. What watches over processes gives up after a second. */
const WAIT_MS = 500;

/** Milliseconds that what was found counts for: however often it is asked, the database is asked once in this time. */
const FRESH_MS = 1_000;

interface Question {
  readonly began: number;
  readonly answer: Promise<boolean>;
}

/** Whether a database answers, said within half a second, also while it hangs. */
export class Reachability {
  readonly #clock: Clock;
  readonly #ask: () => Promise<unknown>;
  #found: { readonly at: number; readonly reachable: boolean } | undefined;
  /** At most one at a time, so that questions to a silent database do not pile up. */
  #open: Question | undefined;

  /** @param ask resolves when the database has answered anything; rejects when it is given up */
  constructor(clock: Clock, ask: () => Promise<unknown>) {
    this.#clock = clock;
    this.#ask = ask;
  }

  /** The database has answered somebody just now. */
  answered(): void {
    this.#found = { at: this.#clock.ticks(), reachable: true };
  }

  /** What was found may hold no longer. */
  doubt(): void {
    this.#found = undefined;
  }

  async now(): Promise<boolean> {
    const now = this.#clock.ticks();
    if (this.#found && now - this.#found.at < FRESH_MS) return this.#found.reachable;
    this.#open ??= this.#question(now);
    const { began, answer } = this.#open;
    return await within(answer, WAIT_MS - (now - began));
  }

  #question(began: number): Question {
    const answer = this.#ask()
      .then(
        () => true,
        () => false,
      )
      .then((reachable) => {
        this.#found = { at: this.#clock.ticks(), reachable };
        this.#open = undefined;
        return reachable;
      });
    return { began, answer };
  }
}

/** False when it is not known in time. */
async function within(answer: Promise<boolean>, ms: number): Promise<boolean> {
  if (ms <= 0) return false;
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
