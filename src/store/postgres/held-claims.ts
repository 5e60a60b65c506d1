import { Failure } from "../../domain/failure.ts";
import type { Clock } from "../../runtime/clock.ts";

/** One claiming of a piece of work. */
export interface Attempt {
  readonly queue: string;
  readonly id: string;
  /** Counts the claims of the same work. */
  readonly retryCount: number;
  /** How long it may go without a sign of life. */
  readonly lease_s: number;
}

interface Held {
  readonly attempt: Attempt;
  readonly lost: AbortController;
  /** Ticks when the last touch that arrived was sent. */
  touched: number;
  /** Ticks of the last try. */
  tried: number;
}

/** Tells the database of those of one queue, and returns the ids of those that are still ours. */
type Touch = (queue: string, attempts: readonly Attempt[]) => Promise<readonly string[]>;

/** How often it is looked whether a touch is due, and a failed one is tried again. */
const LOOK_MS = 1_000;

/** What this process has claimed. Each is touched every third of its lease, or it is lost when the lease is over. */
export class HeldClaims implements Disposable {
  readonly #clock: Clock;
  readonly #touch: Touch;
  readonly #held = new Set<Held>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(clock: Clock, touch: Touch) {
    this.#clock = clock;
    this.#touch = touch;
  }

  /** @param since ticks before it was claimed */
  hold(attempt: Attempt, since: number): { readonly lost: AbortSignal; release(): boolean } {
    const held: Held = { attempt, lost: new AbortController(), touched: since, tried: since };
    this.#held.add(held);
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS);
    return { lost: held.lost.signal, release: () => this.#drop(held) };
  }

  /** False when it was lost or dropped before. */
  #drop(held: Held): boolean {
    const dropped = this.#held.delete(held);
    if (this.#held.size === 0) this[Symbol.dispose]();
    return dropped;
  }

  #look(): void {
    const now = this.#clock.ticks();
    for (const held of [...this.#held]) {
      // Before anybody else can have it, however late this look is: the database counts from a later moment.
      if (now - held.touched >= held.attempt.lease_s * 1_000 - LOOK_MS)
        this.#lose(held, "the database was out of reach for too long, so another may have it");
    }
    const due = [...this.#held].filter(({ tried, attempt }) => now - tried >= (attempt.lease_s * 1_000) / 3);
    for (const [queue, helds] of Map.groupBy(due, ({ attempt }) => attempt.queue))
      void this.#refresh(queue, helds, now);
  }

  async #refresh(queue: string, helds: readonly Held[], now: number): Promise<void> {
    for (const held of helds) held.tried = now;
    try {
      const attempts = helds.map(({ attempt }) => attempt);
      const ours = new Set(await this.#touch(queue, attempts));
      for (const held of helds)
        if (ours.has(held.attempt.id)) held.touched = Math.max(held.touched, now);
        else this.#lose(held, "another has it");
    } catch {
      // Whatever it was: the next look tries again, until the lease is over.
      for (const held of helds) held.tried = held.touched;
    }
  }

  #lose(held: Held, why: string): void {
    if (this.#drop(held))
      held.lost.abort(new Failure("interrupted", `the claim was lost: ${why}`, { retryable: true }));
  }

  /** Touches nothing any more. */
  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
