import { BEAT_MS } from "./messages.ts";

/**
 * Milliseconds without a sign of life in which whoever listens was awake: a look counts no more than the pause between two. So
 * neither a machine that sleeps nor a signal that stops both is taken for silence.
 */
export class AwakeSilence {
  #ms = 0;
  #looked: number;

  constructor(ticks: number) {
    this.#looked = ticks;
  }

  get ms(): number {
    return this.#ms;
  }

  look(ticks: number): number {
    this.#ms += Math.min(ticks - this.#looked, BEAT_MS);
    this.#looked = ticks;
    return this.#ms;
  }

  end(): void {
    this.#ms = 0;
  }
}
