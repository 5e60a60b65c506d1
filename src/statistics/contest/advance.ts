import { memberName, withInputId } from "../../domain/member.ts";
import type { SeriesRecord } from "../../domain/series-record.ts";
import { isFinal } from "../../domain/session-state.ts";
import type { TrialRow } from "../../domain/trial.ts";
import { sumKnown } from "../../domain/usage.ts";
import { type Advance, type AdvanceInput, hasFailed, isBudgetMet, type TrialSpec, trialsBorne } from "../advance.ts";
import { numberOf, roundsToStart, type Tally, tallyByScenario } from "../claim/tally.ts";
import { costOfTrial } from "../costs.ts";
import { contestOf, pairView } from "./pair-view.ts";
import { KnownPairs, playedPairs } from "./played.ts";
import { standingOfPairs } from "./standing.ts";

/** What a round runs of one member: each arm of these pairs once. */
interface Row {
  readonly round: number;
  /** Place of the member in the plan. */
  readonly place: number;
  readonly pairs: number[];
}

interface Playing {
  readonly pair: number;
  readonly tallies: readonly Tally[];
  /** It fails too often to go on. */
  readonly failed: boolean;
}

/**
 * The next step of a running contest, as `advance` says it of two arms. A row starts whole: its arms run at the same time. A pair
 * that fails too often is run no more, and takes nothing from the others.
 * @param known of earlier looks at the same contest
 */
export async function advanceContest(
  series: SeriesRecord,
  rows: readonly TrialRow[],
  input: AdvanceInput,
  known = new KnownPairs(),
): Promise<Advance> {
  const { limits, stop } = series;
  if (stop !== null) return { stop, ...NOTHING };
  const running = openRows(rows);
  const open = running.size;
  if (open >= limits.parallel) return { stop: null, ...NOTHING };
  const after = input.begun_after ?? 0;
  if (isBudgetMet(rows, after)) return { stop: "budget", ...NOTHING };
  const playing = await playingPairs(series, rows, { after, known });
  const sound = playing.filter(({ failed }) => !failed);
  if (playing.length > 0 && sound.length === 0) return { stop: "failed", ...NOTHING };
  // What is lost of a row is tried again when the row is over: until then it holds what its arms came to.
  const nameOf = ({ round, place }: Row) => `${round} ${memberName(series.plan.scenarios[place] ?? { scenario: "" })}`;
  const waiting = rowsToStart(sound, limits.trials).filter((row) => !running.has(nameOf(row)));
  const borne = affordable(series, rows, open, input);
  const start = specsOf(series, waiting.slice(0, Math.min(limits.parallel - open, borne)), rows);
  if (open > 0 || start.length > 0) return { stop: null, start, ...NO_MORE };
  if (playing.length === 0) return { stop: "sure", ...NOTHING };
  return { stop: waiting.length > 0 ? "budget" : "exhausted", ...NOTHING };
}

const NO_MORE = { next: [], behind: 0 };
const NOTHING = { start: [], ...NO_MORE };

/** The pairs whose arms still run. Only what failed since the contest was begun, or went on, ends one. */
async function playingPairs(
  series: SeriesRecord,
  rows: readonly TrialRow[],
  { after, known }: { readonly after: number; readonly known: KnownPairs },
): Promise<readonly Playing[]> {
  const { plan, limits } = series;
  const played = await playedPairs(series, rows, { known });
  const { arms } = await standingOfPairs(series, played);
  const settled = new Set(arms.flatMap((arm) => (arm.settled ? arm.arm_id : [])));
  const now = rows.filter((row) => numberOf(row) > after);
  const talliesNow = (pair: number) =>
    tallyByScenario(plan.scenarios, pairView(series, now, pair).rows, limits.trials, plan.measure);
  return contestOf(series).pairs.flatMap((one, pair) => {
    if (one.arms.some((arm) => settled.has(arm))) return [];
    const { tallies = [] } = played[pair]?.findings ?? {};
    const own = now.length === rows.length ? tallies : talliesNow(pair);
    return { pair, tallies, failed: hasFailed(own, limits.trials, 0) };
  });
}

const rowOf = (row: TrialRow) => `${row.place?.round} ${memberName(row)}`;

/** Rows of which some run has not ended. */
const openRows = (rows: readonly TrialRow[]): ReadonlySet<string> =>
  new Set(rows.flatMap((row) => (isFinal(row.state) ? [] : rowOf(row))));

/** Round by round, in each the members in the order of the plan. */
function rowsToStart(sound: readonly Playing[], trials: number): readonly Row[] {
  const known = new Map<string, Row>();
  for (const { pair, tallies } of sound)
    for (const [place, tally] of tallies.entries())
      for (const round of roundsToStart(tally, trials))
        known.getOrInsertComputed(`${round} ${place}`, () => ({ round, place, pairs: [] })).pairs.push(pair);
  return [...known.values()].sort((one, other) => one.round - other.round || one.place - other.place);
}

function specsOf({ plan }: SeriesRecord, waiting: readonly Row[], rows: readonly TrialRow[]): readonly TrialSpec[] {
  const first = 1 + rows.reduce((largest, row) => Math.max(largest, numberOf(row)), 0);
  return waiting
    .flatMap(({ round, place, pairs }) => {
      const { scenario = "", input } = plan.scenarios[place] ?? {};
      return pairs.map((pair) => ({ round, scenario, ...withInputId(input), pair }));
    })
    .map((spec, index) => ({ trial: first + index, ...spec }));
}

/** How many more rows the cost limit allows; those that run count at the cost of a row. */
function affordable({ limits }: SeriesRecord, rows: readonly TrialRow[], open: number, money: AdvanceInput): number {
  if (limits.max_cost_usd === null) return Number.POSITIVE_INFINITY;
  const costs = new Map<string, (number | null)[]>();
  for (const row of rows) {
    const usd = row.state === "completed" ? costOfTrial(row) : null;
    costs.getOrInsertComputed(rowOf(row), () => []).push(usd);
  }
  const known = [...costs.values()].flatMap((row) => sumKnown(row) ?? []);
  const mean_usd = known.length > 0 ? (sumKnown(known) ?? 0) / known.length : null;
  return trialsBorne(limits.max_cost_usd, { ...money, mean_usd, open });
}
