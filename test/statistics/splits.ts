import type { Conclusion } from "../../src/domain/series-summary.ts";
import { sha256 } from "../../src/domain/sha256.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import { findingsOf } from "../../src/statistics/claim/findings.ts";
import { plannedSubject } from "../../src/statistics/words/subject.ts";
import { type Chance, chanceOf } from "../judge/simulation/pairs.ts";
import { type Result, rowOf, seriesOf } from "./series.ts";

/** Share of the repetitions in which some series ever claims a preference between equal arms. */
interface FalseClaims {
  /** Had each series only its own trials. */
  readonly alone: number;
  /** As it is reported. */
  readonly reported: number;
}

/** Somebody who wants a claim, and cuts the trials of one comparison into series for it. */
type Cut = (store: Store) => void;

const LENGTH = 30;
const MANY = 12;
const TRIALS = LENGTH * MANY;

/** By what is done. */
export const CUTS: Readonly<Record<string, Cut>> = {
  "opened at once, continued in turn"(store) {
    const all = Array.from({ length: MANY }, () => store.open());
    for (let round = 0; round < LENGTH; round += 1) for (const series of all) series.run();
  },
  "one after another"(store) {
    for (let begun = 0; begun < MANY; begun += 1) store.open().run(LENGTH);
  },
  "those that begin well continued"(store) {
    const all = Array.from({ length: MANY }, () => store.open());
    for (const series of all) series.run(5);
    const [best, second] = all.sort((one, other) => Math.abs(other.lead) - Math.abs(one.lead));
    for (const series of [best, second]) series?.run(2 * LENGTH);
  },
  "begun again when behind"(store) {
    for (let left = TRIALS; left > 0; ) {
      const series = store.open();
      for (let trial = 0; trial < 2 * LENGTH && series.lead > -2 && left > 0; trial += 1, left -= 1) series.run();
    }
  },
  "a trial cancelled when it is lost, and begun again"(store) {
    let series = store.open();
    for (let trial = 0; trial < TRIALS; trial += 1) {
      const result = store.draw();
      series.run(1, { result: result === "b" ? "cancelled" : result });
      if (result === "b") series = store.open();
    }
  },
  "side by side, one arm's wins quicker"(store) {
    const [all, slow] = [Array.from({ length: MANY }, () => store.open()), 10];
    const runs = all.map((series) => ({ series, left: LENGTH, ...store.timed(series, 0, slow) }));
    for (;;) {
      const [next] = runs.filter(({ left }) => left > 0).sort((one, other) => one.at - other.at);
      if (!next) return;
      next.end();
      next.left -= 1;
      if (next.left > 0) Object.assign(next, store.timed(next.series, next.at, slow));
    }
  },
  "the same seed again, judged anew"(store) {
    const drawn = Array.from({ length: LENGTH }, () => store.draw());
    for (let begun = 0; begun < MANY; begun += 1) {
      const series = store.open();
      for (const [trial, known] of drawn.entries())
        series.run(1, { result: store.chance() < 0.8 ? known : store.draw(), draw: sha256(`seed:${trial}`) });
    }
  },
  "suites that share scenarios, in turn"(store) {
    const all = [["S", "R"], ["S", "T"], ["R", "T"], ["S"], ["R"], ["S", "R", "T"]].map((names) => store.open(names));
    for (let round = 0; round < LENGTH; round += 1) for (const series of all) series.run();
  },
};

/** Equal seeds draw equal trials. */
export function falseClaims(cut: Cut, { repetitions, seed }: { readonly repetitions: number; readonly seed: number }) {
  const chance = chanceOf(seed);
  const found = { alone: 0, reported: 0 };
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const store = new Store(chance);
    cut(store);
    store.look();
    if (store.alone) found.alone += 1 / repetitions;
    if (store.reported) found.reported += 1 / repetitions;
  }
  return found satisfies FalseClaims;
}

interface Given {
  readonly result?: Result;
  readonly draw?: string;
}

class Store {
  readonly rows: TrialRow[] = [];
  readonly chance: Chance;
  readonly #series: Cutting[] = [];
  alone = false;
  reported = false;

  constructor(chance: Chance) {
    this.chance = chance;
  }

  /** Of equal arms. */
  draw(): Result {
    const drawn = this.chance();
    return drawn < 0.1 ? "tie" : drawn < 0.55 ? "a" : "b";
  }

  open(scenarios: readonly string[] = ["S"]): Cutting {
    const series = new Cutting(this, scenarios, this.#series.length);
    this.#series.push(series);
    return series;
  }

  /** A trial that begins now. */
  timed(series: Cutting, now: number, slow: number) {
    const result = this.draw();
    const at = now + (result === "b" ? slow : 1) * (0.9 + this.chance() / 5);
    return { at, end: series.begin(result) };
  }

  look(): void {
    for (const series of this.#series) series.look();
  }
}

class Cutting {
  readonly #store: Store;
  readonly #record: ReturnType<typeof seriesOf>;
  readonly #scenarios: readonly string[];
  readonly #rows: TrialRow[] = [];
  lead = 0;

  constructor(store: Store, scenarios: readonly string[], number: number) {
    const series_id = `series-20260101T000000000Z-${String(number).padStart(8, "0")}`;
    this.#store = store;
    this.#scenarios = scenarios;
    this.#record = { ...seriesOf({ scenarios, trials: TRIALS }), series_id };
  }

  /** So many rounds, and a look after each trial. */
  run(rounds = 1, given: Given = {}): void {
    for (let trial = 0; trial < rounds * this.#scenarios.length; trial += 1)
      this.begin(given.result ?? this.#store.draw(), given)();
  }

  /** Gives what ends it. */
  begin(result: Result, { draw }: Given = {}): () => void {
    const trial = this.#rows.length + 1;
    const round = Math.ceil(trial / this.#scenarios.length);
    const spec = { trial, round, scenario: this.#scenarios[(trial - 1) % this.#scenarios.length] ?? "" };
    const { series_id } = this.#record;
    const own = { place: { series_id, trial, round }, conduct: null, ...(draw !== undefined && { draw }) };
    const session_id = `session-${series_id}-${trial}`;
    const places = [this.#rows.length, this.#store.rows.length] as const;
    const set = (row: TrialRow) => {
      this.#rows[places[0]] = row;
      this.#store.rows[places[1]] = row;
    };
    set({ ...rowOf(spec, "running", own), session_id });
    return () => {
      set({ ...rowOf(spec, result, own), session_id });
      this.lead += result === "a" ? 1 : result === "b" ? -1 : 0;
      this.look();
    };
  }

  look(): void {
    const subject = plannedSubject(this.#record);
    if (!isClaim(findingsOf(subject, this.#rows).conclusion)) return;
    this.#store.alone = true;
    this.#store.reported ||= isClaim(findingsOf(subject, this.#rows, this.#store.rows).conclusion);
  }
}

const isClaim = (conclusion: Conclusion) => conclusion === "a_preferred" || conclusion === "b_preferred";
