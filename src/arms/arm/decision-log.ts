import type { Decision, DecisionDetail, DecisionKind } from "../../domain/decision.ts";
import type { Clock } from "../../runtime/clock.ts";

interface Entry<K extends DecisionKind> {
  readonly summary: string;
  readonly detail: DecisionDetail<K>;
  readonly latency_ms?: number;
  readonly tokens_in?: number;
  readonly tokens_out?: number;
}

/** Numbers an arm's decisions and hands on each as it is made. */
export class DecisionLog {
  readonly #clock: Clock;
  readonly #emit: (decision: Decision) => void;
  #last: number;

  /** Goes on after decision number `last`. */
  constructor(clock: Clock, emit: (decision: Decision) => void, last = 0) {
    this.#clock = clock;
    this.#emit = emit;
    this.#last = last;
  }

  add<K extends DecisionKind>(kind: K, entry: Entry<K>): void {
    const decision = {
      seq: this.#last + 1,
      kind,
      summary: oneLine(entry.summary),
      tokens_in: entry.tokens_in ?? 0,
      tokens_out: entry.tokens_out ?? 0,
      latency_ms: Math.round(entry.latency_ms ?? 0),
      at: this.#clock.now().toISOString(),
      detail: entry.detail,
    } as Decision; // K ties kind to detail; the compiler cannot see it through the union
    this.#emit(decision);
    // A decision that could not be stored must not leave a gap in the numbers.
    this.#last += 1;
  }
}

const SUMMARY_CHARS = 160;

/** A text as one line of a summary: without control, zero-width or direction characters, and cut at its end. */
export function oneLine(text: string, limit: number = SUMMARY_CHARS): string {
  const head = text.slice(0, limit * 4);
  const line = head
    .replace(/[\p{Cc}\s]+/gu, " ")
    .replace(/\p{Cf}/gu, "")
    .trim()
    .toWellFormed();
  return line.length <= limit ? line : `${line.slice(0, limit - 1).toWellFormed()}…`;
}
