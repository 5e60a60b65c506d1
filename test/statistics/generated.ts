import fc from "fast-check";
import { type SeriesRecord, STOPS } from "../../src/domain/series-record.ts";
import { sha256 } from "../../src/domain/sha256.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import { DECIDERS } from "../../src/domain/verdict.ts";
import { type Result, rowOf, seriesOf } from "./series.ts";

const RESULTS: readonly Result[] = ["a", "b", "tie", "inconsistent", "inconclusive", "invalid", "failed", "cancelled"];

interface Generated {
  readonly series: SeriesRecord;
  readonly rows: readonly TrialRow[];
}

/** Series of every kind, end and length up to 30 rounds, with gaps and copies, some of which run. */
export const GENERATED: fc.Arbitrary<Generated> = fc
  .record({
    scenarios: fc.constantFrom(["S"], ["S"], ["S", "R"], ["A", "B", "C", "D", "E"]),
    trials: fc.constantFrom(1, 2, 5, 12, 20, 30),
    leaning: fc.constantFrom<Result>("a", "b", "tie", "inconsistent", "invalid", "failed"),
    others: fc.array(fc.constantFrom(...RESULTS), { minLength: 1, maxLength: 12 }),
    every: fc.integer({ min: 1, max: 12 }),
    running: fc.nat(3),
    gap: fc.boolean(),
    copies: fc.boolean(),
    decided_by: fc.constantFrom(...DECIDERS),
    stop: fc.constantFrom(null, ...STOPS),
    state: fc.constantFrom("running", "completed", "interrupted"),
    stop_when_sure: fc.boolean(),
    scripted: fc.boolean(),
    alpha: fc.constantFrom(0.05, 0.1, 0.01),
    max_cost_usd: fc.constantFrom(null, 4.5),
  })
  .map(({ leaning, others, every, running, gap, copies, decided_by, ...planned }) => {
    // A forecast of a long suite takes long.
    const trials = Math.ceil(planned.trials / planned.scenarios.length);
    const series = seriesOf({ ...planned, trials });
    const { scenarios } = series.plan;
    const rows = Array.from({ length: trials * scenarios.length }, (_, index) => {
      const [round, scenario] = [
        Math.floor(index / scenarios.length) + 1,
        scenarios[index % scenarios.length]?.scenario,
      ];
      const result = index % every === 0 ? (others[(index / every) % others.length] ?? leaning) : leaning;
      const spec = { trial: index + 1, round, scenario: scenario ?? "" };
      const row = rowOf(spec, index % 7 < running ? "running" : result, copies ? { conduct: sha256("copy") } : {});
      return row.winner_side ? { ...row, decided_by } : row;
    });
    return { series, rows: gap ? rows.filter((_, index) => index % 11 !== 3) : rows };
  });

/** The same trial with the arms exchanged. */
export const mirrored = (row: TrialRow): TrialRow => ({
  ...row,
  winner_side: row.winner_side && (row.winner_side === "a" ? "b" : "a"),
});
