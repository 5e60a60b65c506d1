import { type Cell, type GridRow, type TrialWork, withoutReasons } from "../../domain/cell.ts";
import type { ShownRows } from "../../domain/grid-words.ts";
import { memberName, withInputId } from "../../domain/member.ts";
import type { Series } from "../../domain/series.ts";
import type { SeriesTrial } from "../../domain/series-trial.ts";
import { isFinal } from "../../domain/session-state.ts";
import { candidateSide } from "../../statistics/first-line.ts";
import { namesOf } from "../../statistics/series-words.ts";
import type { Services } from "./operation.ts";

type Store = Pick<Services["store"], "work">;

/** Some of the rows of a series, in the order of `members`, each with what its arms left. @throws Failure `storage_failed` */
export async function gridRows(
  store: Store,
  series: Pick<Series, "arms" | "trials">,
  members: Series["scenarios"],
): Promise<GridRow[]> {
  const own = Map.groupBy(series.trials, memberName);
  const places = members.map((member) => ({ member, trial: shownTrial(own.get(memberName(member)) ?? []) }));
  const work = await store.work(places.flatMap(({ trial }) => trial?.session_id ?? []));
  return places.map((place) => gridRow(place, series.arms, work.get(place.trial?.session_id ?? "")));
}

/** The same for a reader who is to vote. */
export const blindRows = async (...asked: Parameters<typeof gridRows>): Promise<GridRow[]> =>
  (await gridRows(...asked)).map(withoutReasons);

/**
 * At most `most` rows: first those in which the candidate is behind, then those in which it is ahead, those without a result,
 * and those that are the same.
 */
export async function tellingRows(store: Store, series: Series, most: number): Promise<ShownRows> {
  const members = tellingMembers(series);
  return { rows: await gridRows(store, series, members.slice(0, most)), total: members.length };
}

/** Its members in this order. */
export function tellingMembers(series: Series): Series["scenarios"] {
  const rank = rankIn(series);
  return series.scenarios.toSorted((one, other) => rank(one) - rank(other));
}

/** Of these rows those in which one arm is ahead. */
export async function differingRows(store: Store, series: Series, most: number): Promise<ShownRows> {
  const rank = rankIn(series);
  const scenarios = series.scenarios.filter((member) => rank(member) < RANKS.unknown);
  const { rows } = await tellingRows(store, { ...series, scenarios }, most);
  return { rows, total: scenarios.length };
}

const RANKS = { behind: 0, ahead: 1, unknown: 2, same: 3 };

function rankIn({ trials, arms, control }: Series): (member: Series["scenarios"][number]) => number {
  const own = Map.groupBy(trials, memberName);
  const ahead = candidateSide(namesOf(arms), control) === "a" ? 1 : -1;
  return (member) => {
    const d = shownTrial(own.get(memberName(member)) ?? [])?.d ?? null;
    if (d === null) return RANKS.unknown;
    return d === 0 ? RANKS.same : d === ahead ? RANKS.ahead : RANKS.behind;
  };
}

/** The first that came out as most did; else the last that ended. */
function shownTrial(trials: readonly SeriesTrial[]): SeriesTrial | undefined {
  const ended = trials.filter(({ state }) => isFinal(state));
  const sign = Math.sign(ended.reduce((sum, { d }) => sum + (d ?? 0), 0));
  return ended.find(({ d }) => d === sign) ?? ended.find(({ d }) => d !== null) ?? ended.at(-1);
}

interface Place {
  readonly member: Series["scenarios"][number];
  /** The one that is shown; undefined while none has ended. */
  readonly trial: SeriesTrial | undefined;
}

/** Without `work` nothing is kept of the trial. */
function gridRow({ member, trial }: Place, arms: Series["arms"], work: TrialWork | undefined): GridRow {
  const names = namesOf(arms);
  return {
    ...{ scenario: member.scenario, ...withInputId(member.input), trial: trial?.trial ?? null },
    ...(trial?.session_id !== undefined && { session_id: trial.session_id }),
    ...(work ?? { cells: trial?.results ? resultCells(trial.results, arms) : [] }),
    outcome: trial?.outcome ?? null,
    winner: trial?.winner_side ? names[trial.winner_side] : null,
  };
}

/** What a table of results says of a trial. */
const resultCells = (results: NonNullable<SeriesTrial["results"]>, arms: Series["arms"]): Cell[] =>
  (["a", "b"] as const).map((side) => ({
    ...{ arm_id: arms[side].arm_id, failed: [], score: results[side], cost_usd: null },
  }));
