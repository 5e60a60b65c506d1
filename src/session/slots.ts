import { Failure } from "../domain/failure.ts";

/** So many sessions at once, the rest in order of arrival, and a limit to the line. */
export class Slots {
  readonly #size: number;
  readonly #longestLine: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(size: number, longestLine: number) {
    this.#size = size;
    this.#longestLine = longestLine;
  }

  /** @throws Failure `overloaded` when the line is full. Call before anything is promised. */
  admit(): void {
    if (this.#taken < this.#size || this.#waiting.length < this.#longestLine) return;
    throw new Failure("overloaded", `${this.#waiting.length} sessions are waiting already; try again later`, {
      retryable: true,
    });
  }

  /** Waits for a slot and keeps it until disposal. @throws the signal's reason when it fires first. */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#taken < this.#size) this.#taken += 1;
    else await this.#turn(signal);
    return { [Symbol.dispose]: () => this.#release() };
  }

  #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      this.#waiting.splice(this.#waiting.indexOf(enter), 1);
      reject(signal.reason);
    };
    const enter = () => {
      signal.removeEventListener("abort", leave);
      resolve();
    };
    this.#waiting.push(enter);
    signal.addEventListener("abort", leave, { once: true });
    return promise;
  }

  /** The slot goes to the next in line, without being free in between. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken -= 1;
  }
}
