import { type Counts, type LogEvidence, logSum, logWealthOf, type Wager, type Wagers } from "./e-process.ts";

/** The wealth of bets against one mean that were begun at different times, each with its share. Takes the same time however many. */
export class Mixture {
  readonly #wagers: Wagers;
  readonly #a: number[];
  readonly #b: number[];
  #unused = 1;

  constructor(wagers: Wagers) {
    this.#wagers = wagers;
    this.#a = wagers.a.map(() => Number.NEGATIVE_INFINITY);
    this.#b = wagers.b.map(() => Number.NEGATIVE_INFINITY);
  }

  /** A share of the wealth is bet on the trials from now on. */
  begin(share: number): void {
    this.#unused -= share;
    const log = Math.log(share);
    this.#begun(this.#a, this.#wagers.a, log);
    this.#begun(this.#b, this.#wagers.b, log);
  }

  #begun(logs: number[], wagers: readonly Wager[], log: number): void {
    for (const [index, { log_weight }] of wagers.entries())
      logs[index] = logSum(logs[index] ?? Number.NEGATIVE_INFINITY, log + log_weight);
  }

  add(trials: Counts): void {
    for (const [index, wager] of this.#wagers.a.entries()) this.#a[index] = (this.#a[index] ?? 0) + gain(trials, wager);
    for (const [index, wager] of this.#wagers.b.entries()) this.#b[index] = (this.#b[index] ?? 0) + gain(trials, wager);
  }

  /** As it were with further trials: of each side its own evidence, what is not bet included, and of both. */
  evidence(more: Counts = NONE): LogEvidence {
    const unused = Math.log(Math.max(0, this.#unused));
    const [a, b] = [wealthOf(this.#a, this.#wagers.a, more), wealthOf(this.#b, this.#wagers.b, more)];
    return { a: logSum(a, unused), b: logSum(b, unused), both: logSum(logSum(a, b) - Math.LN2, unused) };
  }
}

const NONE: Counts = { wins: 0, ties: 0, losses: 0 };

const gain = (trials: Counts, wager: Wager) => logWealthOf(trials, wager) - wager.log_weight;

const wealthOf = (logs: readonly number[], wagers: readonly Wager[], more: Counts) =>
  wagers.reduce(
    (sum, wager, index) => logSum(sum, (logs[index] ?? Number.NEGATIVE_INFINITY) + gain(more, wager)),
    Number.NEGATIVE_INFINITY,
  );
