import { expect, test } from "bun:test";
import { signTest } from "../../src/domain/binomial.ts";
import { MARGIN } from "../../src/domain/defaults.ts";
import { ALPHA, MAX_SCENARIOS, MAX_TRIALS_IN_ALL } from "../../src/domain/series-record.ts";
import { claimedSide, equivalenceAt } from "../../src/statistics/claim/conclusion.ts";
import type { Counts } from "../../src/statistics/claim/e-process.ts";
import { cannotConclude, isUnlikely, LEAST_CHANCE } from "../../src/statistics/claim/forecast.ts";
import { powerOf } from "../../src/statistics/power.ts";
import { reliability } from "../../src/statistics/summary/reliability.ts";
import { alike, likeTasks } from "../statistics/tasks.ts";
import { pageNamed, tableBelow } from "./pages.ts";

const page = pageNamed("docs/series.md");
const words = page.text.replaceAll(/\s+/g, " ");
const LEVELS = { alpha: ALPHA, margin: MARGIN };
const CERTAIN = { undecided: 0, missing: 0 };
const TRIALS = 30;
/** Share of trials without a winner, as in the table of the page. */
const TIE = 0.2;

const percent = (share = 0, digits = 1) => (100 * share).toFixed(digits);

test("the levels and limits of the page are those of the code", () => {
  expect(words).toContain(`In at most ${100 * ALPHA} of 100 series the range ever misses it`);
  expect(words).toContain(`when the **evidence** reaches ${1 / ALPHA}.`);
  expect(words).toContain(`within \`--margin\`, ${100 * MARGIN} points unless you say otherwise`);
  expect(words).toContain(`when the chance of one is below ${100 * LEAST_CHANCE}%`);
  expect(words).toContain(`two ranges at ${100 - (100 * ALPHA) / 2}% allow`);
  const [most, members] = [MAX_TRIALS_IN_ALL, MAX_SCENARIOS].map((limit) => limit.toLocaleString("en"));
  expect(words).toContain(`The first ${most} are read`);
  expect(words).toContain(`holds at most ${members} scenarios or rows and ${most} trials in all`);
});

test("the reliability of 9 in 10", () => {
  const power = (solved: number, trials: number, k: number) => {
    const { pass_power } = reliability([{ solved, trials }]);
    return `${(100 * (pass_power[k - 1] ?? Number.NaN)).toFixed(0)}%`;
  };
  expect(words).toContain(`An arm that solved 9 of 10 trials of a task has ${power(9, 10, 5)} of \`pass^5\``);
  const half = reliability([0, 1].map((solved) => ({ solved: 16 * solved, trials: 16 }))).pass_power[7] ?? 0;
  expect(words).toContain(`half of the tasks and never the others has \`pass^8\` ${100 * half}%`);
});

test("the shortest claims, and how long it takes to show that arms are alike", () => {
  const shortest = [0, 1, 2, 3].map((losses) => `${winsToClaim(losses)} to ${losses}`);
  expect(words).toContain(`The shortest claims are ${winsToClaim(0)} wins to 0, ${shortest.slice(1).join(", ")}:`);
  expect(words).toContain(`With fewer than ${winsToClaim(0)} trials in all nothing can ever be claimed`);
  expect(words).toContain(`${trialsToEquivalence(1)} trials in a row without a winner are enough.`);
  const [some, none] = [trialsToEquivalence(0.3), trialsToEquivalence(0)];
  expect(words).toContain(`takes about ${some} trials when 3 in 10 have no winner, and ${none} when all have one.`);
});

test("what tasks like these take at each look", () => {
  const [needed = [], shortest = []] = tableBelow(page, "a claim must hold if every missing trial");
  const counts = Array.from({ length: 20 }, (_, count) => count);
  for (const [index, rounds] of [1, 2, 4, 8, 16, 32, 64].entries()) {
    const claims = (ahead: number, behind: number) =>
      likeTasks([...alike(ahead, "+".repeat(rounds)), ...alike(behind, "-".repeat(rounds))])?.claim === "better";
    const fewest = Number(shortest[index + 1]);
    expect([rounds, claims(fewest - 1, 0), claims(fewest, 0)]).toEqual([rounds, false, true]);
    // Among 40 tasks a claim is made up to the largest p that the page allows.
    const most = counts.findLast((behind) => signTest(40 - behind, behind) <= Number(needed[index + 1])) ?? 0;
    expect([rounds, claims(40 - most, most), claims(39 - most, most + 1)]).toEqual([rounds, true, false]);
  }
});

test("what a sign test claims that somebody looks at after every trial", async () => {
  const endOf = ({ wins, losses }: Counts) => (signTest(wins, losses) <= ALPHA ? "claim" : null);
  const [few, many] = await Promise.all([30, 100].map((trials) => shareOfClaims({ trials, tie: 0, endOf })));
  const told = `${percent(few, 0)}% for 30 trials and ${percent(many, 0)}% for 100 trials`;
  expect(words).toContain(`with the usual sign test ${told}, where each has a winner.`);
});

test("what trials that repeat the one before do to the claims", async () => {
  const endOf = (counts: Counts) => (isClaim(counts) ? "claim" : null);
  const rates = [TIE, 0].flatMap((tie) =>
    [0, 0.2, 0.5].map((repeats) => shareOfClaims({ trials: TRIALS, tie, repeats, endOf })),
  );
  const [fresh, fifth, half, ...decided] = (await Promise.all(rates)).map((rate) => percent(rate));
  expect(words).toContain(
    `false claims in ${TRIALS} trials rise from ${fresh} to ${fifth}%; if every second does, to ${half}%.`,
  );
  expect(words).toContain(`Where each trial has a winner these are ${decided.join(", ")}%.`);
});

test("what ten changes that do nothing claim", async () => {
  const { chance, wrong } = await powerOf(TRIALS, { win: 0.5, tie: TIE });
  const any = 1 - (1 - chance - wrong) ** 10;
  expect(words).toContain(`Ten changes without any effect give a false claim in ${percent(any)}% of cases`);
});

test("what the stops that wait for nothing cost", async () => {
  const costs = [0.6, 0.7, 0.8, 0.9].map(async (win) => {
    const { chance } = await powerOf(TRIALS, { win, tie: TIE });
    return chance - (await shareOfClaims({ trials: TRIALS, win, tie: TIE, endOf: stopOf }));
  });
  const most = Math.max(...(await Promise.all(costs)));
  expect(words).toContain(`with ${TRIALS} trials they lower its chances by at most ${percent(most)} points.`);
});

async function stopOf(counts: Counts, left: number) {
  const side = claimedSide(counts, LEVELS);
  if (side) return side === "a" ? "claim" : "stop";
  const standing = { counts, uncertain: CERTAIN, left };
  const isOver = equivalenceAt(LEVELS)(counts, CERTAIN) || cannotConclude(standing, LEVELS);
  return isOver || (await isUnlikely(standing, LEVELS)) ? "stop" : null;
}

const isClaim = (counts: Counts) => claimedSide(counts, LEVELS) !== undefined;

function winsToClaim(losses: number): number {
  let wins = losses;
  while (!isClaim({ wins, ties: 0, losses })) wins += 1;
  return wins;
}

/** As many wins as losses, and this share without a winner. */
function trialsToEquivalence(tie: number): number {
  const isEquivalent = equivalenceAt(LEVELS);
  for (let trials = 1; ; trials += 1) {
    const each = Math.round((trials * (1 - tie)) / 2);
    const ties = trials - 2 * each;
    if (ties >= 0 && isEquivalent({ wins: each, ties, losses: each }, CERTAIN)) return trials;
  }
}

type Kind = "wins" | "ties" | "losses";

interface Course {
  readonly trials: number;
  /** Share of the decided trials that a wins; of all that have no winner; of all that only repeat the one before. */
  readonly win?: number;
  readonly tie: number;
  readonly repeats?: number;
  /** Whether the series ends with these counts, and with a claim. */
  readonly endOf: (counts: Counts, left: number) => "claim" | "stop" | null | Promise<"claim" | "stop" | null>;
}

/** Where series can stand, each with its chance. */
type Open = Map<string, { readonly counts: Counts; readonly last: Kind | null; readonly chance: number }>;

const START: Open = new Map([["", { counts: { wins: 0, ties: 0, losses: 0 }, last: null, chance: 1 }]]);

/** The exact share of series that end with a claim. */
async function shareOfClaims(course: Course): Promise<number> {
  let open = START;
  let claimed = 0;
  for (let left = course.trials - 1; left >= 0; left -= 1) {
    open = afterOneMore(open, course);
    for (const [key, { counts, chance }] of open) {
      const end = chance === 0 ? "stop" : await course.endOf(counts, left);
      if (end === "claim") claimed += chance;
      if (end) open.delete(key);
    }
  }
  return claimed;
}

function afterOneMore(open: Open, course: Course): Open {
  const next: Open = new Map();
  for (const { counts, last, chance } of open.values())
    for (const kind of ["wins", "ties", "losses"] as const) {
      const place = { counts: { ...counts, [kind]: counts[kind] + 1 }, last: course.repeats ? kind : null };
      const key = JSON.stringify(place);
      next.set(key, { ...place, chance: chance * shareOf(kind, last, course) + (next.get(key)?.chance ?? 0) });
    }
  return next;
}

function shareOf(kind: Kind, last: Kind | null, { win = 0.5, tie, repeats = 0 }: Course): number {
  const fresh = { wins: (1 - tie) * win, ties: tie, losses: (1 - tie) * (1 - win) }[kind];
  if (last === null) return fresh;
  return fresh * (1 - repeats) + (kind === last ? repeats : 0);
}
