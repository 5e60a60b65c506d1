import { signTest } from "../../domain/binomial.ts";
import { type GateOpening, isOpen, lacksPairs } from "../../domain/pipeline-gate.ts";
import type { Series } from "../../domain/series.ts";
import type { LikeThese } from "../../domain/series-result.ts";
import { SIDES, type Side } from "../../domain/verdict.ts";
import { unitAt } from "../claim/clusters.ts";
import type { Findings } from "../claim/findings.ts";
import { differenceIn } from "../claim/means.ts";
import { withoutKin } from "../claim/shut-by.ts";
import { countedIn, type Tally } from "../claim/tally.ts";
import { byScenario } from "./descriptive.ts";

/**
 * Complete rounds of all stored trials after which tasks are compared, each with its share of alpha. Signs of tasks change as trials
 * come, so that a look after every round would err more often. These are the same for every plan: by the union bound all together err
 * in at most alpha, however the trials are cut into series.
 */
const LOOKS = [
  { rounds: 1, share: 0.05 },
  { rounds: 2, share: 0.1 },
  { rounds: 4, share: 0.15 },
  { rounds: 8, share: 0.2 },
  { rounds: 16, share: 0.2 },
  { rounds: 32, share: 0.15 },
  { rounds: 64, share: 0.15 },
] as const;

/** What all stored trials say of more tasks like these at the last look, which alone may claim; null before the first. */
export function likeTheseOf(findings: Findings): LikeThese | null {
  const { subject, pool, deleted } = findings;
  const { tallies, sequential } = pool ?? findings;
  const look = LOOKS.findLast(({ rounds }) => rounds <= sequential.log_e.length);
  if (!look) return null;
  const rows = tallies.map((tally, place) => ({
    ...taskAt(look.rounds, tally, subject),
    unit: unitAt(subject.levels.clusters, place),
  }));
  const tasks = [...Map.groupBy(rows, ({ unit }) => unit).values()].map(together);
  const { ahead, behind } = splitOf(tasks.map(({ sum }) => sum));
  const range = byScenario(tasks.flatMap(({ sum, trials }) => (trials > 0 ? sum / trials : [])));
  const isShown = ahead !== behind && isFirm(tasks, { deleted, level: look.share * subject.levels.alpha });
  return {
    claim: isShown ? (ahead > behind ? "better" : "worse") : null,
    ...{ p: signTest(ahead, behind), tasks: tasks.length, ahead, behind, look: look.rounds },
    ...{ low: range && Math.max(-1, range.low), high: range && Math.min(1, range.high) },
  };
}

/** A scenario, a row or a cluster of rows, with its trials of some rounds. */
interface Task {
  /** Of the differences, candidate minus control. */
  readonly sum: number;
  readonly trials: number;
  readonly missing: number;
}

/** Rows of a cluster are one task. */
const together = (rows: readonly Task[]): Task =>
  rows.reduce((all, { sum, trials, missing }) => ({
    sum: all.sum + sum,
    trials: all.trials + trials,
    missing: all.missing + missing,
  }));

function taskAt(rounds: number, tally: Tally, subject: Findings["subject"]): Task {
  const counted = countedIn(tally, rounds);
  const sign = subject.control_side === "a" ? -1 : 1;
  const sum = counted.reduce((total, trial) => total + sign * differenceIn(subject, trial), 0);
  // What a table lacks has its place in a round; what failed was tried again.
  const before = subject.told.kind === "results" ? 0 : (counted.at(-1)?.missing_before ?? 0);
  return { sum, trials: counted.length, missing: before + rounds - counted.length };
}

/** Sums of fractions that are 0 miss it by some billionths. */
const ROUNDING = 1e-9;

const splitOf = (sums: readonly number[]) => ({
  ahead: sums.filter((sum) => sum > ROUNDING).length,
  behind: sums.filter((sum) => sum < -ROUNDING).length,
});

interface Level {
  readonly deleted: number;
  readonly level: number;
}

/** Whether it would be shown if each missing trial had gone to the side that is behind, and each deleted one had turned a task. */
function isFirm(tasks: readonly Task[], { deleted, level }: Level): boolean {
  const { ahead, behind } = splitOf(tasks.map(({ sum }) => sum));
  const side = ahead > behind ? 1 : -1;
  const worst = splitOf(tasks.map(({ sum, missing }) => side * sum - missing));
  const [most, least] = [worst.ahead - deleted, worst.behind + deleted];
  return most > least && signTest(most, least) <= level;
}

/** Shut by whatever shuts the gate; that the trials of these tasks are too few for it does not. */
export function gateLikeTheseOf(
  findings: Findings,
  openings: Readonly<Record<Side, GateOpening>>,
  like_these: LikeThese | null,
): Series["gate_like_these"] {
  const { arms } = findings.subject;
  const ahead = arms.a === arms.b ? null : sideAhead(findings, like_these);
  const opens = (side: Side) => ahead === side && mayOpen(openings[side]) && isAheadWithoutKin(findings, side);
  return Object.fromEntries(SIDES.map((side) => [arms[side], opens(side) ? "better" : null]));
}

const mayOpen = (opening: GateOpening) => isOpen(opening) || lacksPairs(opening);

function isAheadWithoutKin(findings: Findings, side: Side): boolean {
  const without = withoutKin(findings, side);
  return without === findings || sideAhead(without, likeTheseOf(without)) === side;
}

function sideAhead({ subject }: Findings, like_these: LikeThese | null): Side | null {
  if (!like_these?.claim) return null;
  return (like_these.claim === "better") === (subject.control_side === "a") ? "b" : "a";
}
