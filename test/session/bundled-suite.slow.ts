import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { chooseScript } from "../../src/comparison/planning/arm-source.ts";
import type { Arm } from "../../src/domain/arm.ts";
import type { Scenario } from "../../src/domain/scenario.ts";
import { claimedSide } from "../../src/statistics/claim/conclusion.ts";
import { bundled, runOnce, SCENARIOS, testServices } from "../harness.ts";

const SUITE = ["suite-csv-line", "suite-due-date", "suite-receipt"];

/** Which scripts of an arm solve the task, in every scenario of the suite. */
const SOLVES: Readonly<Record<string, readonly boolean[]>> = {
  candidate: [true, true, false],
  baseline: [false, false, true],
};

const solves = ({ id }: Arm, chosen: number | undefined) => SOLVES[id]?.[chosen ?? -1] ?? false;

const replaying = (arm: Arm, index: number): Arm => ({
  ...arm,
  scripts: (arm.scripts ?? []).filter((_, position) => position === index),
});

test("the suite is three scenarios of the same two arms, which a shared tag and prefix name", async () => {
  const named = readdirSync(SCENARIOS).filter((name) => /^suite-.*\.yaml$/.test(name));
  expect(named.sort()).toEqual(SUITE.map((name) => `${name}.yaml`));
  for (const name of SUITE) {
    const { definition } = await bundled(name);
    expect([definition.tags[0], ...definition.arms.map(({ id }) => id)]).toEqual(["suite", "candidate", "baseline"]);
    expect(definition.arms.map(({ scripts }) => scripts?.length)).toEqual([3, 3]);
  }
});

const PAIRS = [
  { candidate: 0, baseline: 0, outcome: "winner", winner: "candidate" },
  { candidate: 1, baseline: 2, outcome: "tie", winner: null },
  { candidate: 2, baseline: 2, outcome: "winner", winner: "baseline" },
  { candidate: 2, baseline: 1, outcome: "tie", winner: null },
].flatMap((pair) => SUITE.map((name) => ({ name, ...pair })));

test.each(PAIRS)(
  "$name: script $candidate of candidate against $baseline of baseline ends as $outcome",
  async ({ name, candidate, baseline, outcome: ends, winner }) => {
    const loaded = await bundled(name);
    const [first, second] = loaded.definition.arms;
    const arms: Scenario["arms"] = [replaying(first, candidate), replaying(second, baseline)];
    const { outcome } = await runOnce(testServices(), { ...loaded, definition: { ...loaded.definition, arms } });
    expect(outcome.arms.map(({ status, probe }) => [status, probe?.score === 1])).toEqual([
      ["finished", solves(first, candidate)],
      ["finished", solves(second, baseline)],
    ]);
    // Every script mends what the report shows, so only hidden cases tell the arms apart.
    expect(outcome.arms.map(({ probe }) => probe?.checks[0]?.status)).toEqual(["pass", "pass"]);
    expect(outcome.verdict).toMatchObject({ outcome: ends, winner });
  },
);

/** The rounds after which the suite's trials, chosen by this seed, establish a preference; 31 for none in 30. */
function roundsToClaim(definitions: readonly Scenario[], seed: string): { rounds: number; side: string | undefined } {
  const counts = { wins: 0, ties: 0, losses: 0 };
  for (let rounds = 1, trial = 1; rounds <= 30; rounds++) {
    for (const { arms } of definitions) {
      const [a, b] = arms.map((arm) => solves(arm, chooseScript(arm, { seed, trial })));
      if (a === b) counts.ties++;
      else if (a) counts.wins++;
      else counts.losses++;
      trial++;
    }
    const side = claimedSide(counts, { alpha: 0.05 });
    if (side) return { rounds, side };
  }
  return { rounds: 31, side: undefined };
}

test("repeated trials of the suite establish the candidate after about seven rounds", async () => {
  const definitions = await Promise.all(SUITE.map(async (name) => (await bundled(name)).definition));
  const seeds = Array.from({ length: 300 }, (_, index) => `seed ${index}`);
  const ends = seeds.map((seed) => roundsToClaim(definitions, seed));
  expect(new Set(ends.map(({ side }) => side))).toEqual(new Set(["a"]));
  const rounds = ends.map((end) => end.rounds).sort((a, b) => a - b);
  expect([rounds[30], rounds[150], rounds[270]]).toEqual([5, 7, 10]);
});
