import { type Counts, logEvidence, wagersAgainst } from "./claim/e-process.ts";
import { winRateRange } from "./claim/interval.ts";
import { NOW } from "./claim/rules.ts";

/** How often somebody was wrong who was asked so often. */
export interface FaultCount {
  readonly faults: number;
  readonly judgings: number;
}

/** Rates of faults that are told apart: at most the first, and at least the second. */
const FEW = 0.1;
const MANY = 0.3;

/** How often each of them may be concluded wrongly. */
const ALPHA = 0.05;

/** No later self-test adds to the wealth of one, so that it bets all of it. */
const STARTED_ONCE = { ...NOW, fresh: 1 };

const meanOf = (rate: number) => 2 * rate - 1;
const AGAINST_FEW = wagersAgainst(meanOf(FEW));
const AGAINST_MANY = wagersAgainst(meanOf(MANY));

/** A fault is a win of those who bet that there are many. */
const countsOf = ({ faults, judgings }: FaultCount): Counts => ({ wins: faults, ties: 0, losses: judgings - faults });

/** Of everything together. */
export const sumOfFaults = (counts: readonly FaultCount[]): FaultCount => ({
  faults: counts.reduce((sum, { faults }) => sum + faults, 0),
  judgings: counts.reduce((sum, { judgings }) => sum + judgings, 0),
});

/**
 * Whether faults are few or many; null while neither is shown. It may be asked after every judging. Many faults on one question are
 * seen beside few on others, as the evidence of all together is averaged with that of each.
 * @param tests that are made at once: a judge who makes few faults on each is said to make many in at most 5% of the times that all
 * are made. One who makes many is said to make few in at most 5%, of each test.
 */
export function faultLevel(questions: readonly FaultCount[], tests: number): "few" | "many" | null {
  const all = sumOfFaults(questions);
  const wealths = [all, ...questions].map((count) => Math.exp(logEvidence(countsOf(count), AGAINST_FEW).a));
  if (wealths.reduce((sum, wealth) => sum + wealth, 0) / wealths.length >= tests / ALPHA) return "many";
  return showsFew(all) ? "few" : null;
}

const showsFew = (count: FaultCount) => logEvidence(countsOf(count), AGAINST_MANY).b >= -Math.log(ALPHA);

/** Judgings without a fault that show that faults are few. */
export function judgingsUntilFew({ faults, judgings }: FaultCount): number {
  let more = 0;
  while (!showsFew({ faults, judgings: judgings + more })) more += 1;
  return more;
}

/** The rates that the judgings do not contradict, whenever somebody looks; each end is wrong in at most 5%. Faults are few where it ends below 30%. */
export function faultRange(count: FaultCount): { readonly low: number; readonly high: number } {
  return winRateRange(countsOf(count), 2 * ALPHA, STARTED_ONCE);
}
