import { percentText } from "../../domain/number-text.ts";
import {
  type FaultRate,
  type Grade,
  SELF_TEST_PARTS,
  type SelfTest,
  type SelfTestPart,
  type SelfTestPartId,
  type SelfTestTrial,
} from "../../domain/self-test.ts";
import { type FaultCount, faultLevel, faultRange, judgingsUntilFew, sumOfFaults } from "../../statistics/fault-rate.ts";

/** Judgings of a part at most, and at once. */
const MOST_JUDGINGS = 30;
const ROUND = 5;

/** Judgings of all parts together: of a judge that makes no mistake, and the most. */
export const JUDGINGS = {
  least: SELF_TEST_PARTS.length * judgingsUntilFew({ faults: 0, judgings: 0 }),
  most: SELF_TEST_PARTS.length * MOST_JUDGINGS,
} as const;

/** How many judgings a part needs next; 0 when it is told whether the judge errs there, and when it never will be. */
export function judgingsToMake(id: SelfTestPartId, trials: readonly SelfTestTrial[]): number {
  if (trials.some(({ outcome }) => outcome === null) || levelOf(id, trials) !== null) return 0;
  const until = judgingsUntilFew(sumOfFaults(faultsOf(id, trials)));
  return Math.min(ROUND, until, MOST_JUDGINGS - trials.length);
}

const levelOf = (id: SelfTestPartId, trials: readonly SelfTestTrial[]) =>
  faultLevel(faultsOf(id, trials), SELF_TEST_PARTS.length);

/** By pair of works: the judgings that were asked for, and the faults in them. */
function faultsOf(id: SelfTestPartId, trials: readonly SelfTestTrial[]): readonly FaultCount[] {
  const asked = trials.filter(({ outcome }) => outcome !== null);
  const pairs = [...Map.groupBy(asked, ({ a, b }) => JSON.stringify([a, b])).values()];
  return pairs.map((pair) => ({ faults: pair.filter(IS_FAULT[id]).length, judgings: pair.length }));
}

/** An answer that cannot be used is no right one. */
const unlessUsable =
  (isFault: (trial: SelfTestTrial) => boolean) =>
  (trial: SelfTestTrial): boolean =>
    trial.outcome === "invalid" || isFault(trial);

const isMissed = unlessUsable(({ winner, a }) => winner !== a);

/** The order of presentation may decide between equals: no winner comes of it. */
const IS_FAULT: Readonly<Record<SelfTestPartId, (trial: SelfTestTrial) => boolean>> = {
  reference_against_nop: isMissed,
  half_of_reference: isMissed,
  same_evidence: unlessUsable(({ winner }) => winner !== null),
  harmless_edits: unlessUsable(({ winner, a }) => winner === a),
};

type Graded = Pick<SelfTestPart, "verdict" | "note" | "rate">;

/** What the trials of a part say of the judge. */
export function gradePart(id: SelfTestPartId, trials: readonly SelfTestTrial[]): Graded {
  const count = sumOfFaults(faultsOf(id, trials));
  if (trials.length === 0) return { verdict: "skip", note: NOTHING[id] };
  if (count.judgings === 0) return { verdict: "warn", note: "the cost limit left nothing for it" };
  const rate: FaultRate = { ...count, rate: count.faults / count.judgings, ...faultRange(count) };
  const told = levelOf(id, trials);
  const found = `${foundIn(id, trials)} (range ${percentText(rate.low)} to ${percentText(rate.high)})`;
  if (told !== null) return { verdict: told === "few" ? "pass" : "fail", note: found, rate };
  const short =
    count.judgings < trials.length ? "the cost limit left no money to show" : `${count.judgings} judgings do not show`;
  return { verdict: "warn", note: `${found}; ${short} whether it errs in at most 10% or in at least 30%`, rate };
}

const NOTHING: Readonly<Record<SelfTestPartId, string>> = {
  reference_against_nop: "there is nothing to show the judge",
  half_of_reference: "half of the reference cannot be made: it is too short",
  same_evidence: "there is nothing to show the judge",
  harmless_edits: "no harmless edit fits the reference",
};

function foundIn(id: SelfTestPartId, trials: readonly SelfTestTrial[]): string {
  const asked = trials.filter(({ outcome }) => outcome !== null);
  const outOf = (some: readonly SelfTestTrial[]) => `${some.length} of ${asked.length} judgings`;
  const faults = asked.filter(IS_FAULT[id]);
  const unusable = asked.filter(({ outcome }) => outcome === "invalid");
  if (unusable.length === asked.length) return `the judge gave no usable answer in ${outOf(unusable)}`;
  const wrong = faults.filter(({ outcome }) => outcome !== "invalid");
  const besides = unusable.length === 0 ? "" : `, and gave no usable answer in ${unusable.length}`;
  return WORDS[id](wrong, asked, outOf) + besides;
}

type Words = (
  faults: readonly SelfTestTrial[],
  asked: readonly SelfTestTrial[],
  outOf: (some: readonly SelfTestTrial[]) => string,
) => string;

const missing =
  (what: string): Words =>
  (faults, _asked, outOf) => {
    const against = faults.length === 0 ? "" : `, against ${namesOf(faults.map(({ b }) => WORSE[b] ?? b))}`;
    const lost = faults.filter(({ winner, b }) => winner === b).length;
    return `it missed ${what} in ${outOf(faults)}${against}${lost === 0 ? "" : `, which it preferred in ${lost}`}`;
  };

const WORDS: Readonly<Record<SelfTestPartId, Words>> = {
  reference_against_nop: missing("the known good work"),
  half_of_reference: missing("the whole work"),
  same_evidence: (faults, asked, outOf) => {
    const pulled = asked.filter(({ outcome }) => outcome === "inconsistent").length;
    const order = pulled === 0 ? "" : `, and went by the order of presentation in ${pulled}`;
    return `it named a winner between two copies in ${outOf(faults)}${order}`;
  },
  harmless_edits: (faults, _asked, outOf) =>
    `a harmless edit won in ${outOf(faults)}${faults.length === 0 ? "" : `: ${namesOf(faults.map(({ a }) => a))}`}`,
};

const namesOf = (names: readonly string[]) => [...new Set(names)].join(" and ");

/** What lost to better work, or should have. */
const WORSE: Readonly<Record<string, string>> = {
  nop: "the untouched fixture",
  empty: "an empty answer",
  half: "half of the known good work",
  other_task: "an answer to another task",
};

/** The gravest of all parts. A test in which nothing was tested is no pass. */
export function gradeWhole(parts: readonly Pick<SelfTestPart, "verdict">[]): NonNullable<SelfTest["verdict"]> {
  const found = (verdict: Grade) => parts.some((part) => part.verdict === verdict);
  if (found("fail")) return "fail";
  return found("warn") || !found("pass") ? "warn" : "pass";
}
