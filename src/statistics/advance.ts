import { withInputId } from "../domain/member.ts";
import type { SeriesRecord, SeriesStop } from "../domain/series-record.ts";
import type { TrialRow } from "../domain/trial.ts";
import { sumKnown } from "../domain/usage.ts";
import { awaitedIn, stoppingRuleOf } from "./claim/awaited.ts";
import { claimedSide } from "./claim/conclusion.ts";
import { type Findings, findingsOf } from "./claim/findings.ts";
import { cannotConclude, isUnlikely, MAX_FORECAST } from "./claim/forecast.ts";
import { openingOf } from "./claim/opening.ts";
import { rulesOf } from "./claim/rules.ts";
import { isOnlyCopies } from "./claim/sequential-test.ts";
import {
  failsTooOften,
  failuresIn,
  metLimit,
  numberOf,
  resultOf,
  roundsToStart,
  type Tally,
  tallyByScenario,
} from "./claim/tally.ts";
import { costOfTrial } from "./costs.ts";
import { plannedSubject } from "./words/subject.ts";

/** A trial that may start now. */
export interface TrialSpec {
  readonly trial: number;
  readonly round: number;
  readonly scenario: string;
  /** Row of its inputs; absent where it has none. */
  readonly input?: string;
  /** Place in the pairs of the contest; absent: two arms are compared. */
  readonly pair?: number;
}

interface Money {
  /** USD that all trials so far have spent; an unknown cost counts at its worst case. */
  readonly spent_usd: number;
  /** Likely USD of a trial before one has ended; null where prices are unknown, which a cost limit does not allow. 0: none is paid for, as of replays. */
  readonly estimate_usd: number | null;
}

export interface AdvanceInput extends Money {
  /**
   * Trials up to this number existed when the series was started or last continued, so their failures do not stop it again.
   * 0 without.
   */
  readonly begun_after?: number;
  /** Stored runs of the comparisons, where the series' own trials conclude something; as `poolOf` takes them. */
  readonly stored?: readonly TrialRow[];
}

export interface Advance {
  /** Why no further trial starts. It is final: running trials are awaited, and do not change it. */
  readonly stop: SeriesStop | null;
  /** The trials to start, in this order. */
  readonly start: readonly TrialSpec[];
  /** The trials that follow if these succeed and the cost limit allows them. */
  readonly next: readonly TrialSpec[];
  /** The number of trials that must still end to complete the round, before anything new can be said. */
  readonly behind: number;
}

const AWAITS: ReadonlySet<SeriesStop> = new Set(["sure", "not_worse", "equivalent"]);

const NOTHING = { start: [], next: [], behind: 0 };

/** After this many rounds of copies it is known that the arms do not vary. */
const ROUNDS_OF_COPIES = 8;

/** Rows of a table that may be given up: this many, or this share of all. Beyond that, the rest is no longer the same table. */
const BORNE_ROWS = 3;
const BORNE_SHARE = 1 / 20;

/**
 * The next step of a running series, from what is stored of it. Called at its start, and whenever a trial has ended.
 * Takes cubic time in the remaining trials, and yields to other work meanwhile.
 * @param series `stop` null, also when a stopped one is continued
 * @param rows of all its trials
 */
export async function advance(series: SeriesRecord, rows: readonly TrialRow[], input: AdvanceInput): Promise<Advance> {
  const { plan, limits } = series;
  if (series.stop !== null) return { stop: series.stop, ...NOTHING };
  const tallies = tallyByScenario(plan.scenarios, rows, limits.trials, plan.measure);
  const open = tallies.reduce((sum, { running }) => sum + running, 0);
  const stop = await earlyStop(series, rows, input.stored ?? []);
  // What is established can lapse while trials run, so that they are awaited first.
  if (stop && open > 0 && AWAITS.has(stop) && rulesOf(plan.protocol).lapses)
    return { stop: null, ...NOTHING, behind: behindOf(tallies) };
  if (stop) return { stop, ...NOTHING };
  if (isBudgetMet(rows, input.begun_after ?? 0)) return { stop: "budget", ...NOTHING };
  if (hasFailed(tallies, limits.trials, input.begun_after ?? 0)) return { stop: "failed", ...NOTHING };
  const specs = specsOf(plan.scenarios, tallies, limits.trials);
  const count = Math.min(Math.max(0, limits.parallel - open), affordable(series, tallies, input));
  const start = specs.slice(0, count);
  if (open > 0 || start.length > 0) return { stop: null, start, next: specs.slice(count), behind: behindOf(tallies) };
  return { stop: specs.length > 0 ? "budget" : "exhausted", ...NOTHING };
}

/** The number of trials that must still end to complete a round. @param rows of all its trials */
export const trialsBehind = ({ plan, limits }: SeriesRecord, rows: readonly TrialRow[]): number =>
  behindOf(tallyByScenario(plan.scenarios, rows, limits.trials, plan.measure));

/** Every member that lacks a trial of the first incomplete round needs one more to end. */
function behindOf(tallies: readonly Tally[]): number {
  const going = tallies.filter(({ given_up }) => !given_up);
  const rounds = Math.min(...going.map(({ counted }) => counted.length));
  return going.filter(({ counted }) => counted.length <= rounds).length;
}

/** Round by round, in each the scenarios in the order of the plan; a lost trial is replaced first. */
function specsOf(scenarios: SeriesRecord["plan"]["scenarios"], tallies: readonly Tally[], trials: number): TrialSpec[] {
  const specs = tallies.flatMap((tally, place) =>
    roundsToStart(tally, trials).map((round) => ({
      round,
      scenario: scenarios[place]?.scenario ?? "",
      ...withInputId(scenarios[place]?.input),
    })),
  );
  const first = nextNumber(tallies);
  return specs.sort((one, other) => one.round - other.round).map((spec, index) => ({ trial: first + index, ...spec }));
}

/** The number of the next trial: no number is given twice. */
const nextNumber = (tallies: readonly Tally[]): number =>
  1 + tallies.flatMap(({ rows }) => rows).reduce((largest, row) => Math.max(largest, numberOf(row)), 0);

/** A call of a trial since then would have cost more than the limit. */
export const isBudgetMet = (rows: readonly TrialRow[], begunAfter: number): boolean =>
  rows.some((row) => metLimit(row) && numberOf(row) > begunAfter);

/** A user's mistake, an incomplete recording and checks that cannot run fail every trial; other failures may pass. */
export function hasFailed(tallies: readonly Tally[], trials: number, begunAfter: number): boolean {
  const isNow = (row: TrialRow) => numberOf(row) > begunAfter;
  const lost = tallies.filter(
    ({ rows, given_up }) => given_up && failsTooOften(failuresIn(rows.filter(isNow)), trials),
  );
  const borne = Math.min(Math.max(BORNE_ROWS, tallies.length * BORNE_SHARE), tallies.length - 1);
  if (lost.length > borne) return true;
  return tallies.some(({ rows, given_up }) => {
    const own = rows.filter(isNow);
    const failed = own.filter((row) => resultOf(row) === "failed");
    return (
      own.some(({ could_not_check }) => could_not_check !== undefined) ||
      failed.some(({ failure }) => failure?.class === "user" || failure?.code === "replay_mismatch") ||
      (!given_up && failsTooOften(failuresIn(own), trials))
    );
  });
}

/** How many more trials the cost limit allows; running trials count at the cost of a trial. */
function affordable({ limits }: SeriesRecord, tallies: readonly Tally[], money: Money): number {
  if (limits.max_cost_usd === null) return Number.POSITIVE_INFINITY;
  const rows = tallies.flatMap((tally) => tally.rows);
  const known = rows.filter(({ state }) => state === "completed").flatMap((row) => costOfTrial(row) ?? []);
  const mean_usd = known.length > 0 ? (sumKnown(known) ?? 0) / known.length : null;
  const open = tallies.reduce((sum, { running }) => sum + running, 0);
  return trialsBorne(limits.max_cost_usd, { ...money, mean_usd, open });
}

interface Spending extends Money {
  /** Of the completed trials whose cost is known; null: there is none. */
  readonly mean_usd: number | null;
  /** Trials that run. */
  readonly open: number;
}

/** How many more trials a cost limit allows. */
export function trialsBorne(max_cost_usd: number, { spent_usd, estimate_usd, mean_usd, open }: Spending): number {
  const usd = estimate_usd === 0 ? 0 : (mean_usd ?? estimate_usd);
  if (usd === null) return 0;
  // Sums of fractions of a cent are off by some billionths.
  const left = max_cost_usd - spent_usd - open * usd + 1e-9;
  if (left < 0) return 0;
  return usd === 0 ? Number.POSITIVE_INFINITY : Math.floor(left / usd);
}

/** Applies only with `stop_when_sure`, and uses only complete rounds. It does not make a false claim likelier. */
async function earlyStop(
  series: SeriesRecord,
  rows: readonly TrialRow[],
  stored: readonly TrialRow[],
): Promise<SeriesStop | null> {
  const { limits } = series;
  if (!limits.stop_when_sure) return null;
  const findings = findingsOf(plannedSubject(series), rows, stored);
  const { subject, sequential, tallies } = findings;
  const rule = stoppingRuleOf(subject);
  const known = conclusionFor(findings, rule);
  if (known) return known;
  if (sequential.claim || (rule.equivalence && sequential.equivalent_at !== null)) return null;
  if (tallies.every((tally) => roundsToStart(tally, limits.trials).length === 0)) return null;
  if (sequential.log_e.length >= ROUNDS_OF_COPIES && isOnlyCopies(sequential)) return "out_of_reach";
  // Borders are of whole trials.
  if (subject.cluster !== undefined) return null;
  return await futility(awaitedIn(findings, limits.trials));
}

function conclusionFor(
  findings: Findings,
  { not_worse, equivalence }: ReturnType<typeof stoppingRuleOf>,
): SeriesStop | null {
  const { sequential, conclusion } = findings;
  if (conclusion !== "undecided" && sequential.claim) return "sure";
  if (not_worse && openingOf(findings, not_worse) === "not_worse") return "not_worse";
  return equivalence && conclusion !== "undecided" ? "equivalent" : null;
}

async function futility({ standing, levels }: ReturnType<typeof awaitedIn>): Promise<SeriesStop | null> {
  if (cannotConclude(standing, levels)) return "out_of_reach";
  if (standing.left > MAX_FORECAST) return null;
  return (await isUnlikely(standing, levels)) ? "unlikely" : null;
}

/** The fewest trials, over all scenarios, with which a series can make a claim. A plan of fewer has nothing to be sure of. */
export function leastTrials(alpha: number): number {
  let trials = 1;
  while (claimedSide({ wins: trials, ties: 0, losses: 0 }, { alpha }) === undefined) trials += 1;
  return trials;
}
