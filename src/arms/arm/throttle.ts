import type { Clock } from "../../runtime/clock.ts";

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
