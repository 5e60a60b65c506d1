import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { logEvidence } from "../../src/statistics/claim/e-process.ts";
import { rulesOf } from "../../src/statistics/claim/rules.ts";
import { conclusionOf, sequentialTestOf, worstCase } from "../../src/statistics/claim/sequential-test.ts";
import { tallyOf } from "../../src/statistics/claim/tally.ts";
import { type Result, results, rowOf, rowsOf, times } from "./series.ts";

const LEVELS = { alpha: 0.05, margin: 0.15 };

const courseOfRows = (rows: Parameters<typeof tallyOf>[0], deleted = 0) =>
  sequentialTestOf({ scenarios: [tallyOf(rows).counted], deleted }, LEVELS);

const courseOfResults = (given: readonly Result[]) => courseOfRows(rowsOf(given));

const RESULTS = fc.array(
  fc.constantFrom<Result>("a", "a", "b", "tie", "inconsistent", "inconclusive", "invalid", "failed"),
  {
    maxLength: 60,
  },
);

const mirrored = (given: readonly Result[]) =>
  given.map((result) => (result === "a" ? "b" : result === "b" ? "a" : result));

describe("a claim", () => {
  test("is made at the trial that reaches the border, and stands while its evidence does", () => {
    const { claim, log_e } = courseOfResults([...times(9, "a"), ...times(4, "b")]);
    expect(claim).toMatchObject({ side: "a", round: 9, counts: { wins: 9, ties: 0, losses: 0 } });
    expect(log_e).toHaveLength(13);
    const lapsed = courseOfResults([...times(9, "a"), ...times(4, "b")]);
    expect([lapsed.stands, conclusionOf(lapsed)]).toEqual([false, "undecided"]);
    const again = courseOfResults([...times(9, "a"), ...times(4, "b"), ...times(12, "a")]);
    expect([again.stands, conclusionOf(again)]).toEqual([true, "a_preferred"]);
    const before = { ...LEVELS, rules: rulesOf("series/1") };
    const stays = sequentialTestOf(
      { scenarios: [tallyOf(rowsOf([...times(9, "a"), ...times(4, "b")])).counted], deleted: 0 },
      before,
    );
    expect([stays.stands, conclusionOf(stays)]).toEqual([true, "a_preferred"]);
  });

  test("that the other side makes later too leaves nothing to say", () => {
    const sequential = courseOfResults([...times(9, "a"), ...times(27, "b")]);
    expect([sequential.claim?.side, sequential.reversed, conclusionOf(sequential)]).toEqual(["a", true, "undecided"]);
    const before = courseOfResults([...times(9, "a"), ...times(26, "b")]);
    expect([before.reversed, conclusionOf(before)]).toEqual([false, "undecided"]);
  });

  test("that was taken back stays taken back, whatever comes", () => {
    const sequential = courseOfResults([...times(9, "a"), ...times(27, "b"), ...times(60, "a")]);
    expect([sequential.reversed, conclusionOf(sequential)]).toEqual([true, "undecided"]);
  });

  test("leaves the greatest evidence as it was", () => {
    const [before, after] = [courseOfResults(times(9, "a")), courseOfResults([...times(9, "a"), ...times(4, "b")])];
    expect(after.greatest).toBe(before.greatest);
    expect(after.greatest).toBeGreaterThan(after.log_e.at(-1) ?? 0);
  });

  test("goes before an equivalence that was there first", () => {
    const sequential = courseOfResults([...times(17, "tie"), ...times(30, "a")]);
    expect(sequential.equivalent_at).toBe(17);
    expect(conclusionOf(sequential)).toBe("a_preferred");
  });

  test("is looked for at the end of rounds alone", () => {
    const suite = (rounds: readonly string[]) =>
      sequentialTestOf(
        { scenarios: rounds.map((letters, place) => tallyOf(suiteRows(`S${place}`, letters)).counted), deleted: 0 },
        LEVELS,
      );
    // Nine wins in a row are there before the fifth round ends, with ten.
    expect(suite(["+++++", "++++"]).claim).toBeNull();
    expect(suite(["+++++", "+++++"]).claim).toMatchObject({ round: 5, counts: { wins: 10, ties: 0, losses: 0 } });
    expect(suite(["++++-", "+++++"]).claim).toBeNull();
  });
});

const suiteRows = (scenario: string, letters: string) =>
  results(letters).map((result, index) => rowOf({ scenario, trial: index + 1, round: index + 1 }, result));

describe("missing trials", () => {
  test("make a claim fragile while it depends on them, and no more once it does not", () => {
    const [fragile, firm] = [courseOfResults(results("!+++++++++")), courseOfResults(results("!+++++++++++"))];
    expect([fragile.claim?.side, fragile.fragile, conclusionOf(fragile)]).toEqual(["a", true, "undecided"]);
    expect([firm.claim?.round, firm.fragile, conclusionOf(firm)]).toEqual([9, false, "a_preferred"]);
  });

  test("that come after a claim cannot take it back", () => {
    expect(courseOfResults(results("+++++++++xx")).fragile).toBe(false);
    expect(courseOfResults(results("+++++++++xx-")).fragile).toBe(false);
  });

  test("of all scenarios of a suite count", () => {
    const trials = (letters: string) =>
      [suiteRows("S", letters), suiteRows("R", letters)].map((rows) => tallyOf(rows).counted);
    const sequential = (letters: string) => sequentialTestOf({ scenarios: trials(letters), deleted: 0 }, LEVELS);
    // One lost of each: eleven wins bear one loss, thirteen bear two.
    expect(sequential("!++++++").fragile).toBe(true);
    expect(sequential("!+++++++").fragile).toBe(false);
  });

  test("of deleted sessions count against it wherever they were", () => {
    expect(courseOfRows(rowsOf(times(9, "a")), 1).fragile).toBe(true);
  });

  test("never help: at worst both sides are level", () => {
    expect(worstCase({ wins: 8, ties: 2, losses: 1 }, 3)).toEqual({ wins: 8, ties: 2, losses: 4 });
    expect(worstCase({ wins: 1, ties: 2, losses: 8 }, 40)).toEqual({ wins: 8, ties: 2, losses: 8 });
    fc.assert(
      fc.property(fc.nat(40), fc.nat(40), fc.nat(40), (wins, losses, missing) => {
        const worst = logEvidence(worstCase({ wins, ties: 0, losses }, missing)).both;
        for (let given = 0; given <= missing; given += 1) {
          const possible =
            wins > losses ? { wins, ties: 0, losses: losses + given } : { wins: wins + given, ties: 0, losses };
          expect(worst).toBeLessThanOrEqual(logEvidence(possible).both + 1e-12);
        }
      }),
    );
  });
});

describe("copies", () => {
  test("claim nothing and show no equivalence, however many there are", () => {
    const copies = (letter: string) => courseOfRows(rowsOf(results(letter.repeat(40)), { conduct: "0".repeat(64) }));
    expect(copies("+")).toMatchObject({ claim: null, repeats: [true] });
    expect(copies("=")).toMatchObject({ equivalent_at: null, repeats: [true] });
    expect(copies("+").greatest).toBeCloseTo(0, 12);
  });

  test("count from the first trial that goes another way", () => {
    const rows = [...rowsOf(times(9, "a"), { conduct: "0".repeat(64) }), ...rowsOf(times(10, "a")).slice(9)];
    expect(courseOfRows(rows)).toMatchObject({ claim: { round: 10 }, repeats: [false] });
  });

  test("are not assumed where nobody knows", () => {
    expect(courseOfRows(rowsOf(times(9, "a"), { conduct: null })).claim?.round).toBe(9);
  });

  test("in one scenario of a suite do not stop the others", () => {
    const copied = suiteRows("S1", "+++++").map((row) => ({ ...row, conduct: "0".repeat(64) }));
    const sequential = sequentialTestOf(
      { scenarios: [tallyOf(copied).counted, tallyOf(suiteRows("S2", "+++++")).counted], deleted: 0 },
      LEVELS,
    );
    expect(sequential).toMatchObject({ claim: { round: 5 }, repeats: [true, false] });
  });
});

test("equivalence takes trials of which something is known", () => {
  expect(courseOfResults(times(16, "tie")).equivalent_at).toBeNull();
  expect(courseOfResults(times(17, "tie")).equivalent_at).toBe(17);
  expect(courseOfResults(times(40, "inconsistent")).equivalent_at).toBeNull();
  expect(courseOfResults([...times(6, "invalid"), ...times(17, "tie")]).equivalent_at).toBeNull();
});

test("everything changes sides when the arms do", () => {
  fc.assert(
    fc.property(RESULTS, (given) => {
      const [sequential, other] = [courseOfResults(given), courseOfResults(mirrored(given))];
      expect(other.claim?.side).toBe(sequential.claim ? (sequential.claim.side === "a" ? "b" : "a") : undefined);
      expect([other.claim?.round, other.reversed, other.fragile, other.equivalent_at]).toEqual([
        sequential.claim?.round,
        sequential.reversed,
        sequential.fragile,
        sequential.equivalent_at,
      ]);
    }),
  );
});

test("the order of trials changes nothing of the evidence at the end", () => {
  fc.assert(
    fc.property(RESULTS, (given) => {
      const usable = given.filter((result) => result !== "invalid" && result !== "failed");
      const [sequential, other] = [courseOfResults(usable), courseOfResults([...usable].reverse())];
      expect(other.log_e.at(-1) ?? 0).toBeCloseTo(sequential.log_e.at(-1) ?? 0, 9);
    }),
  );
});

test("a trial without a winner leaves the evidence as it is", () => {
  fc.assert(
    fc.property(RESULTS, (given) => {
      const sequential = courseOfResults([...given, "a", "tie"]);
      expect(sequential.log_e.at(-1)).toBe(sequential.log_e.at(-2) ?? Number.NaN);
    }),
  );
});
