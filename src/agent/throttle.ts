import type { Clock } from "../clock.ts";

/** What stands still while a provider makes an arm wait. */
interface Pausable {
  pause(): void;
  resume(lost_ms: number): void;
}

/** Requests of one arm run side by side: time in which several wait is lost once. */
export class Throttle {
  readonly #stopwatch: Pausable;
  readonly #clock: Clock;
  #waiting = 0;
  #since = 0;

  constructor(stopwatch: Pausable, clock: Clock) {
    this.#stopwatch = stopwatch;
    this.#clock = clock;
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
