import { type Cell, type GridRow, type TrialWork, withoutReasons } from "../../domain/cell.ts";
import type { Contest, ContestTrial } from "../../domain/contest.ts";
import type { ShownRows } from "../../domain/grid-words.ts";
import { type Member, memberName, withInputId } from "../../domain/member.ts";
import { isFinal } from "../../domain/session-state.ts";
import type { Services } from "./operation.ts";

type Store = Pick<Services["store"], "work">;

/** Its scenarios, or rows of their inputs, in the order of the plan; of a table, of its lines. */
export const contestMembers = ({ plan, trials }: Contest): readonly Member[] =>
  plan?.scenarios ?? [...new Map(trials.map((trial) => [memberName(trial), trial])).values()];

/** Some of the rows of a contest, each with what every arm left in one of its rounds. @throws Failure `storage_failed` */
export async function contestRows(store: Store, contest: Contest, members: readonly Member[]): Promise<GridRow[]> {
  const places = placesOf(contest, members);
  const work = await store.work(places.flatMap(({ runs }) => [...runs.values()]));
  return places.map((place) => rowOf(contest, place, work));
}

/** The same for a reader who is to vote. */
export const blindContestRows = async (...asked: Parameters<typeof contestRows>): Promise<GridRow[]> =>
  (await contestRows(...asked)).map(withoutReasons);

/** At most `most` rows: first those in which arms differ, the most first, then those without a result, and those that are the same. */
export async function tellingContestRows(store: Store, contest: Contest, most: number): Promise<ShownRows> {
  const members = tellingContestMembers(contest);
  return { rows: await contestRows(store, contest, members.slice(0, most)), total: members.length };
}

/** Its members in this order. */
export const tellingContestMembers = (contest: Contest): readonly Member[] =>
  placesOf(contest, contestMembers(contest))
    .toSorted((one, other) => rankOf(other) - rankOf(one))
    .map(({ member }) => member);

/** Of these rows those in which arms differ. */
export async function differingContestRows(store: Store, contest: Contest, most: number): Promise<ShownRows> {
  const total = placesOf(contest, contestMembers(contest)).filter(({ spread }) => (spread ?? 0) > 0).length;
  const { rows } = await tellingContestRows(store, contest, Math.min(most, total));
  return { rows, total };
}

type Round = readonly ContestTrial[];

interface Place {
  readonly member: Member;
  /** Trials of the round that is shown; none while none has ended. */
  readonly round: Round;
  /** How far its arms are apart, 0 to 1; null: nothing is known. */
  readonly spread: number | null;
  /** By arm the session that has its run. */
  readonly runs: ReadonlyMap<string, string>;
}

function placesOf(contest: Contest, members: readonly Member[]): readonly Place[] {
  const own = Map.groupBy(contest.trials, memberName);
  return members.map((member) => {
    const { round, spread } = shownRound(contest, own.get(memberName(member)) ?? []);
    return { member, round, spread, runs: runsIn(contest, round) };
  });
}

/** Of the rounds with the most arms the first that came out as most of them: arms differ, or they do not. */
function shownRound(contest: Contest, trials: Round): Pick<Place, "round" | "spread"> {
  const rounds = [...Map.groupBy(trials.filter(isEnded), ({ round }) => round).values()].map((round) => ({
    ...{ round, spread: apart(round), arms: armsIn(contest, round) },
  }));
  const most = Math.max(...rounds.map(({ arms }) => arms));
  const whole = rounds.filter(({ arms }) => arms === most);
  const differing = whole.filter(({ spread }) => (spread ?? 0) > 0);
  const same = whole.filter(({ spread }) => spread === 0);
  return (differing.length >= same.length ? differing[0] : same[0]) ?? whole[0] ?? { round: [], spread: null };
}

const isEnded = ({ state }: ContestTrial) => isFinal(state);

const armsIn = (contest: Contest, round: Round): number =>
  new Set(round.flatMap((trial) => (trial.results ? knownIn(trial.results) : pairOf(contest, trial)))).size;

type Results = NonNullable<ContestTrial["results"]>;

const knownIn = (results: Results): readonly string[] => Object.keys(results).filter((arm) => results[arm] !== null);

const pairOf = ({ contest: { pairs } }: Contest, { pair = 0 }: ContestTrial) => pairs[pair]?.arms ?? [];

/** Of several the first that is whole: pairs share runs, and one may have been tried again. */
function runsIn(contest: Contest, round: Round): ReadonlyMap<string, string> {
  const ended = round.toReversed().toSorted((one, other) => Number(isWhole(one)) - Number(isWhole(other)));
  return new Map(
    ended.flatMap((trial) => {
      const { session_id } = trial;
      return session_id === undefined ? [] : pairOf(contest, trial).map((arm) => [arm, session_id] as const);
    }),
  );
}

const isWhole = ({ state }: ContestTrial) => state === "completed";

function apart(round: Round): number | null {
  const results = round.flatMap((trial) => Object.values(trial.results ?? {})).filter((result) => result !== null);
  if (results.length > 0) return Math.max(...results) - Math.min(...results);
  if (round.some(({ winner }) => winner !== null)) return 1;
  return round.some(isWhole) ? 0 : null;
}

/** The greatest first. */
const rankOf = ({ spread }: Place): number => spread ?? Number.EPSILON;

function rowOf({ plan }: Contest, { member, round, runs }: Place, work: Kept): GridRow {
  const [first] = round.toSorted((one, other) => one.trial - other.trial);
  const arms = plan?.contest?.arms ?? Object.keys(first?.results ?? {});
  const session_id = [...runs.values()].find((id) => work.has(id));
  const { cells: _, ...asked } = work.get(session_id ?? "") ?? { cells: [] };
  return {
    ...{ scenario: member.scenario, ...withInputId(member.input), ...asked },
    trial: first?.trial ?? null,
    ...(first && { round: first.round }),
    ...(session_id !== undefined && { session_id }),
    cells: arms.flatMap((arm) => cellOf(arm, first?.results?.[arm], { session_id: runs.get(arm), work })),
    ...{ outcome: null, winner: null },
  };
}

type Kept = ReadonlyMap<string, TrialWork>;

interface Run {
  readonly session_id: string | undefined;
  readonly work: Kept;
}

function cellOf(arm_id: string, told: number | null | undefined, { session_id = "", work }: Run): readonly Cell[] {
  if (told !== undefined) return [{ arm_id, failed: [], score: told, cost_usd: null }];
  const cell = work.get(session_id)?.cells.find((one) => one.arm_id === arm_id);
  return cell ? [{ ...cell, session_id }] : [];
}
