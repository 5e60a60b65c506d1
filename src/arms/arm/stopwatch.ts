import { type Clock, type StallCount, startTimer } from "../../runtime/clock.ts";

/** Thrown into whatever runs when the working time is used up. */
export class TimeUp extends Error {
  override readonly name = "TimeUp";
}

/**
 * Measures working time, which stands still while a provider makes the arm wait or our own loop does, and fires when it is
 * used up.
 */
export class Stopwatch implements Disposable {
  readonly #clock: Clock;
  readonly #limitMs: number;
  /** Monotonic milliseconds. */
  readonly began_ticks: number;
  readonly #expired = new AbortController();
  readonly #stalls: StallCount | undefined;
  #throttledMs = 0;
  #timer: Disposable | undefined;

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#stalls = clock.watch?.();
    this.began_ticks = clock.ticks();
    this.#arm();
  }

  /** Fires with a TimeUp. */
  get signal(): AbortSignal {
    return this.#expired.signal;
  }

  get wall_ms(): number {
    return Math.round(this.#clock.ticks() - this.began_ticks);
  }

  /** Time that no other figure includes. */
  get stalled_ms(): number {
    return Math.round(this.#stalls?.ms ?? 0);
  }

  get throttled_ms(): number {
    return Math.min(Math.round(this.#throttledMs), this.wall_ms);
  }

  get working_ms(): number {
    return this.wall_ms - this.throttled_ms;
  }

  get remaining_ms(): number {
    return Math.max(0, this.#limitMs - this.working_ms);
  }

  /** A try failed: until `resume`, nothing fires. */
  pause(): void {
    this.#timer?.[Symbol.dispose]();
  }

  /** The next try starts; `lostMs` is what the failed one and the wait cost. */
  resume(lostMs: number): void {
    this.#throttledMs += lostMs;
    this.#arm();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#stalls?.[Symbol.dispose]();
  }

  #arm(): void {
    this.#timer?.[Symbol.dispose]();
    const expire = () => this.#expired.abort(new TimeUp("max_seconds is used up"));
    this.#timer = startTimer(this.#clock, this.remaining_ms, expire);
  }
}

/** What stands still while a provider makes an arm wait. */
interface Pausable {
  pause(): void;
  resume(lost_ms: number): void;
}

/** Stops an arm's time while a provider makes it wait. Requests of one arm run side by side: time in which several wait is lost once. */
export class Throttle {
  readonly #stopwatch: Pausable;
  readonly #clock: Clock;
  #waiting = 0;
  #since = 0;

  constructor(stopwatch: Pausable, clock: Clock) {
    this.#stopwatch = stopwatch;
    this.#clock = clock;
  }

  /** No place is free for any request of the arm, or one is again. */
  outside(isOutside: boolean): void {
    if (isOutside) this.begin();
    else this.end(0);
  }

  begin(): void {
    this.#waiting += 1;
    if (this.#waiting > 1) return;
    this.#since = this.#clock.ticks();
    this.#stopwatch.pause();
  }

  /** @param lost_ms what this request lost, with the try that failed before `begin` */
  end(lost_ms: number): void {
    this.#waiting -= 1;
    if (this.#waiting === 0) this.#stopwatch.resume(Math.max(lost_ms, this.#clock.ticks() - this.#since));
  }
}
