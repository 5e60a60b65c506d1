import { describe, expect, test } from "bun:test";
import type { TrialRow } from "../../src/domain/trial.ts";
import { advance, leastTrials, type TrialSpec } from "../../src/statistics/advance.ts";
import { forecast } from "../../src/statistics/claim/forecast.ts";
import { leastEqualPairs } from "../../src/statistics/claim/not-worse.ts";
import { conclusionOf, sequentialTestOf } from "../../src/statistics/claim/sequential-test.ts";
import { tallyOf } from "../../src/statistics/claim/tally.ts";
import { FREE, type Planned, play, results, rowOf, rowsOf, seriesOf, times } from "./series.ts";

const next = (planned: Planned, letters: string, input = FREE) =>
  advance(seriesOf(planned), rowsOf(results(letters)), input);

/** Trials as `round scenario #number`. */
const text = (specs: readonly TrialSpec[]) =>
  specs.map(({ trial, round, scenario }) => `${round} ${scenario} #${trial}`);

const counts = (rows: readonly TrialRow[]) => {
  const { wins, ties, losses } = sequentialTestOf(
    { scenarios: [tallyOf(rows).counted], deleted: 0 },
    { alpha: 0.05, margin: 0.15 },
  ).counts;
  return `${wins}-${ties}-${losses}`;
};

describe("without stopping early", () => {
  test("a series runs the trials that were planned, whatever they show", async () => {
    const { stop, rows } = await play(seriesOf({ trials: 5 }), () => "a");
    expect([stop, rows.length]).toEqual(["exhausted", 5]);
    const longer = await play(seriesOf({ trials: 20 }), () => "a");
    expect([longer.stop, longer.rows.length]).toEqual(["exhausted", 20]);
  });

  test("rounds come one after the other, in each the scenarios in the order of the plan", async () => {
    const planned = { scenarios: ["S", "R"], trials: 2, parallel: 3 };
    const { start } = await advance(seriesOf(planned), [], FREE);
    expect(text(start)).toEqual(["1 S #1", "1 R #2", "2 S #3"]);
    const rows = start.map((spec) => rowOf(spec, "running"));
    expect(await advance(seriesOf(planned), rows, FREE)).toMatchObject({ stop: null, start: [] });
    const one = rows.map((row, place) => (place === 1 ? rowOf(start[1] ?? never(), "a") : row));
    expect(text((await advance(seriesOf(planned), one, FREE)).start)).toEqual(["2 R #4"]);
  });

  test("nothing is exhausted while a trial runs", async () => {
    expect(await next({ trials: 2 }, "+r")).toMatchObject({ stop: null, start: [] });
  });
});

function never(): never {
  throw new Error("there are three");
}

describe("a lost trial", () => {
  test("is replaced first: with the next number, in its own round", async () => {
    expect(text((await next({}, "++x+")).start)).toEqual(["3 S #5"]);
    expect(text((await next({ parallel: 4 }, "i+x+")).start)).toEqual(["1 S #5", "3 S #6", "5 S #7", "6 S #8"]);
  });

  test("is not replaced twice", async () => {
    const rows = [...rowsOf(results("+x+")), rowOf({ trial: 4, round: 2, scenario: "S" }, "tie")];
    expect(text((await advance(seriesOf(), rows, FREE)).start)).toEqual(["4 S #5"]);
  });

  test("that a person cancelled or deleted, or that the judge could not use, is not replaced", async () => {
    expect(text((await next({}, "c!+")).start)).toEqual(["4 S #4"]);
    const gap = rowsOf(results("+++")).filter((_, place) => place !== 1);
    expect(text((await advance(seriesOf(), gap, FREE)).start)).toEqual(["4 S #4"]);
  });

  test("too many times fails the series, at half of its trials", async () => {
    expect((await next({ trials: 4 }, "xxx")).stop).toBeNull();
    expect((await next({ trials: 4 }, "xxxx")).stop).toBe("failed");
    expect((await next({ trials: 30 }, "x".repeat(15))).stop).toBeNull();
    expect((await next({ trials: 30 }, "x".repeat(16))).stop).toBe("failed");
  });

  test("by the user's mistake fails it at once, and no more when it goes on after that", async () => {
    expect((await next({}, "++u")).stop).toBe("failed");
    const again = await next({}, "++u", { ...FREE, begun_after: 3 });
    expect([again.stop, ...text(again.start)]).toEqual([null, "3 S #4"]);
  });
});

describe("a cost limit", () => {
  // A trial costs 1 USD.
  const limited = { max_cost_usd: 4, trials: 10, parallel: 10 };

  test("lets so many trials start as it surely bears", async () => {
    expect((await next(limited, "", { spent_usd: 0, estimate_usd: 1.5 })).start).toHaveLength(2);
    expect((await next(limited, "+", { spent_usd: 1, estimate_usd: 1.5 })).start).toHaveLength(3);
    expect((await next(limited, "+r", { spent_usd: 1, estimate_usd: 1.5 })).start).toHaveLength(2);
  });

  test("ends the series when nothing runs any more", async () => {
    expect(await next(limited, "+++r", { spent_usd: 3, estimate_usd: 1 })).toMatchObject({ stop: null, start: [] });
    expect((await next(limited, "++++", { spent_usd: 4, estimate_usd: 1 })).stop).toBe("budget");
    expect((await next(limited, "", { spent_usd: 0, estimate_usd: 5 })).stop).toBe("budget");
    expect((await next(limited, "", { spent_usd: 0, estimate_usd: null })).stop).toBe("budget");
  });

  test("that is overdrawn lets none start", async () => {
    expect(await next(limited, "++++", { spent_usd: 4.5, estimate_usd: 1 })).toMatchObject({
      stop: "budget",
      start: [],
    });
  });

  test("is counted by whole trials: what was cut short cost less than one", async () => {
    const rows = rowsOf(results("+c"));
    const { start } = await advance(seriesOf(limited), rows, { spent_usd: 1.5, estimate_usd: 1.5 });
    expect(start).toHaveLength(2);
  });

  test("does not end one that is done", async () => {
    expect((await next({ ...limited, trials: 4 }, "++++", { spent_usd: 4, estimate_usd: 1 })).stop).toBe("exhausted");
  });

  test("bears any number of trials that cost nothing", async () => {
    expect((await next(limited, "", { spent_usd: 0, estimate_usd: 0 })).start).toHaveLength(10);
  });
});

const SURE = { stop_when_sure: true, trials: 30, stop_at: "better" } as const;

describe("when it may stop early, a series", () => {
  test("stops when it is sure", async () => {
    const { stop, rows } = await play(seriesOf(SURE), () => "b");
    expect([stop, rows.length]).toEqual(["sure", 9]);
  });

  test("goes on with a fragile claim until no missing trial can take it back", async () => {
    const sequential = ["a", "invalid"] as const;
    const { stop, rows } = await play(seriesOf(SURE), ({ trial }) => sequential[trial === 1 ? 1 : 0]);
    expect([stop, counts(rows), rows.length]).toEqual(["sure", "11-0-0", 12]);
  });

  test("stops once the candidate is not worse, unless it waits for better", async () => {
    const least = leastEqualPairs({ alpha: 0.05, margin: 0.15, not_worse_by: 0.3 });
    const equal = { stop_when_sure: true, trials: 20, not_worse_by: 0.3 };
    const { stop, rows } = await play(seriesOf(equal), () => "tie");
    expect([stop, rows.length]).toEqual(["not_worse", least]);
    expect((await next({ ...equal, stop_at: "better" }, "=".repeat(least))).stop).not.toBe("not_worse");
    expect((await next({ ...equal, trials: 30 }, "---------")).stop).toBe("sure");
  });

  test("stops without a difference above the margin only where somebody asks with a margin", async () => {
    const equal = { stop_when_sure: true, trials: 30, not_worse_by: 0.01 };
    expect((await next({ ...equal, margin: 0.2 }, "=".repeat(20))).stop).toBe("equivalent");
    expect((await next({ ...equal, trials: 200 }, "=".repeat(20))).stop).toBeNull();
    expect((await next({ ...equal, stop_at: "better", margin: 0.2 }, "=".repeat(20))).stop).not.toBe("equivalent");
  });

  test("learns nothing from a judge that contradicts itself", async () => {
    const { stop, rows } = await play(seriesOf(SURE), () => "inconsistent");
    expect(["out_of_reach", "unlikely"]).toContain(stop ?? "");
    expect(
      conclusionOf(sequentialTestOf({ scenarios: [tallyOf(rows).counted], deleted: 0 }, { alpha: 0.05, margin: 0.15 })),
    ).toBe("undecided");
  });

  test("stops when nothing can be concluded any more", async () => {
    expect((await next({ ...SURE, trials: 12 }, "+-+-+-")).stop).toBe("out_of_reach");
    expect((await next({ ...SURE, trials: 9 }, "c")).stop).toBe("out_of_reach");
  });

  test("stops when a conclusion is less likely than 2%, and not before", async () => {
    const { stop, rows } = await play(seriesOf(SURE), ({ trial }) => (trial % 2 === 0 ? "a" : "b"));
    const chance = async (split: number) => {
      const counts = { wins: split, ties: 0, losses: split };
      const standing = { counts, uncertain: { undecided: 0, missing: 0 }, left: 30 - 2 * split };
      return (await forecast(standing, { alpha: 0.05, margin: 0.15 })).chance_of_conclusion;
    };
    expect([stop, rows.length]).toEqual(["unlikely", 8]);
    expect(await chance(3)).toBeGreaterThan(0.02);
    expect(await chance(4)).toBeLessThan(0.02);
  });

  test("does not run to its end for copies", async () => {
    const rows = rowsOf(times(8, "a"), { conduct: "0".repeat(64) });
    expect((await advance(seriesOf(SURE), rows, FREE)).stop).toBe("out_of_reach");
    expect((await advance(seriesOf(SURE), rows.slice(0, 7), FREE)).stop).toBeNull();
    expect((await advance(seriesOf({ trials: 30 }), rows, FREE)).stop).toBeNull();
  });

  test("waits for the round: what one scenario shows before the others is not looked at", async () => {
    const suite = seriesOf({ ...SURE, scenarios: ["S", "R"], parallel: 16 });
    const rows = rowsOf(times(12, "a"));
    expect((await advance(suite, rows, FREE)).stop).toBeNull();
  });

  test("looks at trials in the order of creation: quick ones wait for slow ones", async () => {
    const quick = rowsOf(results("r+++++++++"));
    expect((await advance(seriesOf({ ...SURE, parallel: 16 }), quick, FREE)).stop).toBeNull();
    const all = rowsOf(results("++++++++++"));
    expect((await advance(seriesOf({ ...SURE, parallel: 16 }), all, FREE)).stop).toBe("sure");
  });

  test("starts nothing more once it is sure, and says so when those that run have not taken it back", async () => {
    expect(await next({ ...SURE, parallel: 4 }, "+++++++++rr")).toMatchObject({ stop: null, start: [] });
    expect((await next({ ...SURE, parallel: 4 }, "+++++++++--")).stop).toBeNull();
    expect((await next({ ...SURE, parallel: 4 }, "++++++++++")).stop).toBe("sure");
    expect(await next({ ...SURE, stop: "sure" }, "+++++++++--")).toMatchObject({ stop: "sure", start: [] });
  });

  test("goes on when both sides have claimed", async () => {
    expect((await next({ ...SURE, trials: 60 }, `${"+".repeat(9)}${"-".repeat(27)}`)).stop).toBeNull();
  });

  test("that has come to its end did not stop early", async () => {
    expect((await next({ ...SURE, trials: 9 }, "+-+-+-+-+")).stop).toBe("exhausted");
  });

  test("counts on trials that run or are held, and no further than on the scenario that has fewest", async () => {
    expect((await next({ ...SURE, trials: 9, parallel: 8 }, "r+++++++")).stop).toBeNull();
    const suite = seriesOf({ ...SURE, trials: 5, scenarios: ["S", "R"], parallel: 10 });
    const lost = rowOf({ scenario: "R", trial: 6, round: 1 }, "cancelled");
    expect((await advance(suite, rowsOf(times(5, "a")), FREE)).stop).toBeNull();
    expect((await advance(suite, [...rowsOf(times(5, "a")), lost], FREE)).stop).toBe("out_of_reach");
  });

  test("is sure before it has failed", async () => {
    expect((await next(SURE, "+++++++++u")).stop).toBe("sure");
  });
});

test("below so many trials nothing can ever be claimed", () => {
  expect([0.05, 0.1, 0.01].map(leastTrials)).toEqual([9, 7, 12]);
});

test.each([
  [0.5, 0.0209, 11.8],
  [0.7, 0.3347, 15.9],
  [0.8, 0.7615, 16.3],
  [0.9, 0.984, 12.6],
])(
  "with decisive trials of which a wins %p it claims and stops as the exact table says",
  async (win, claims, trials) => {
    const exact = await exactCourse(win);
    expect(Math.abs(exact.claims - claims)).toBeLessThan(1e-3);
    expect(Math.abs(exact.trials - trials)).toBeLessThan(0.051);
  },
);

/** What `advance` says of every count, by the sequential of series of at most 30 trials that may stop early. */
async function exactCourse(win: number) {
  let open = new Map([["", 1]]);
  let [claims, trials] = [0, 0];
  while (open.size > 0) {
    const after = new Map<string, number>();
    for (const [sequential, chance] of open) {
      trials += chance;
      for (const [letter, share] of [
        ["+", win],
        ["-", 1 - win],
      ] as const)
        await arrive(after, level(sequential + letter), chance * share);
    }
    open = after;
  }
  return { claims, trials };

  async function arrive(after: Map<string, number>, sequential: string, chance: number) {
    const stop = await stopOf(sequential);
    if (stop === "sure") claims += chance;
    if (stop === null) after.set(sequential, (after.get(sequential) ?? 0) + chance);
  }
}

/** Series without a claim so far differ in nothing but their counts: of all orders, one that claims no earlier than others. */
function level(sequential: string): string {
  const wins = [...sequential].filter((letter) => letter === "+").length;
  const losses = sequential.length - wins;
  const [few, rest] = [Math.min(wins, losses), Math.abs(wins - losses)];
  return "+-".repeat(few) + (wins > losses ? "+" : "-").repeat(rest);
}

const STOPS = new Map<string, Promise<string | null>>();

function stopOf(sequential: string): Promise<string | null> {
  const known =
    STOPS.get(sequential) ?? advance(seriesOf(SURE), rowsOf(results(sequential)), FREE).then(({ stop }) => stop);
  STOPS.set(sequential, known);
  return known;
}
