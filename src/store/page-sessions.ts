import { columnValues, FILTERED_COLUMNS, type SortName } from "../domain/listed-columns.ts";
import { idTime, type SessionOutcome } from "../domain/session.ts";
import {
  inLowerCase,
  MAX_TALLIES,
  type SessionFilter,
  type SessionListing,
  type SessionListRequest,
  type SessionSummary,
  type SessionSummaryRequest,
  type SessionTally,
  searchedWords,
} from "../domain/session-list.ts";
import { sumKnown } from "../domain/usage.ts";
import { listingOf } from "./list-rows.ts";

/** A session as databases have it: its listing, and the columns by which lists are chosen and sorted. */
interface ListedSession {
  readonly listing: SessionListing;
  readonly kept: ReturnType<typeof columnValues>;
}

export function listedSession(outcome: SessionOutcome): ListedSession {
  const kept = columnValues(outcome);
  return { kept, listing: listingOf(outcome, kept) };
}

/** Answers a query from all listings, which are given newest first. */
export function chooseListings(rows: readonly ListedSession[], query: SessionListRequest): readonly SessionListing[] {
  const { sort = "created", order = "desc", offset = 0, limit } = query;
  const matching = matchingRows(rows, query);
  const sorted =
    sort === "created" ? (order === "desc" ? matching : matching.reverse()) : inOrder(matching, sort, order);
  return sorted.slice(offset, limit === undefined ? undefined : offset + limit).map(({ listing }) => listing);
}

export function summarize(
  sessions: readonly ListedSession[],
  { names, since, ...filter }: SessionSummaryRequest,
): SessionSummary {
  const time = idTime(since ?? "");
  const before = sessions.findIndex(({ listing }) => listing.session_id.slice(-time.length) < time);
  const begun = before === -1 ? sessions : sessions.slice(0, before);
  const matching = matchingRows(begun, filter).map(({ listing }) => listing);
  const rows = sessions.map(({ listing }) => listing);
  const costs = matching.flatMap(({ cost_usd }) => cost_usd ?? []);
  return {
    sessions: matching.length,
    results: tally(matching.map(listedResult)),
    conflicts: matching.filter(({ conflict }) => conflict).length,
    cost_usd: costs.length === 0 ? null : sumKnown(costs),
    cost_unknown: matching.length - costs.length,
    wall_ms: matching.reduce((sum, { wall_ms }) => sum + (wall_ms ?? 0), 0),
    ...(names && {
      known: {
        scenarios: tally(rows.map(({ scenario }) => scenario)),
        models: tally(rows.flatMap(({ arms }) => [...new Set(arms.map(({ model }) => model))])),
        judges: tally(rows.flatMap(({ judge_model }) => judge_model ?? [])),
        ...withUsers(tally(rows.flatMap(({ user }) => user ?? []))),
      },
    }),
  };
}

/** An object to spread: empty where nobody was named. */
export const withUsers = (users: SessionTally[]): { users?: SessionTally[] } => (users.length > 0 ? { users } : {});

function matchingRows(rows: readonly ListedSession[], filter: SessionFilter): ListedSession[] {
  const { input, text, blind, conflict, trials } = filter;
  const words = searchedWords(text);
  return rows.filter(
    ({ listing, kept }) =>
      FILTERED_COLUMNS.every(([parameter, names]) => {
        const wanted = filter[parameter];
        return wanted === undefined || names.some((name) => kept[name] === wanted);
      }) &&
      (input === undefined || listing.input === input) &&
      (conflict === undefined || kept.conflict) &&
      (trials === undefined || kept.series_id === null) &&
      (words.length === 0 ||
        includesAll(searchedText(blind ? { ...listing, outcome: null, winner: null } : listing), words)),
  );
}

const includesAll = (text: string, words: readonly string[]) => words.every((word) => text.includes(word));

/** The text in which words are searched. */
export const searchedText = (row: SessionListing) =>
  searchable([row.session_id, ...sharedParts(row), row.state, row.outcome, row.winner]);

/** The part of that text that sessions share. It lacks the time of the id, the state and the outcome; the winner is one of the arms. */
export const sharedText = (row: Shared) => searchable([beforeTime(row.session_id), ...sharedParts(row)]);

/** The beginning of an id, or of a word that may end within an id's time, such as `20260102T030405678Z`. */
export const beforeTime = (id: string): string => id.replace(/[0-9tz]+$/i, "");

type Shared = Pick<SessionListing, "session_id" | "title" | "judge_model"> & {
  readonly arms: readonly Pick<SessionListing["arms"][number], "arm_id" | "model">[];
};

const sharedParts = ({ title, arms, judge_model }: Shared) => [
  title,
  ...arms.flatMap(({ arm_id, model }) => [arm_id, model]),
  judge_model,
];

const searchable = (parts: readonly (string | null | undefined)[]) =>
  inLowerCase(parts.filter((part) => part !== undefined && part !== null).join(" "));

const listedResult = ({ outcome, state }: SessionListing) => outcome ?? state;

function inOrder(
  rows: readonly ListedSession[],
  sort: Exclude<SortName, "created">,
  order: "asc" | "desc",
): readonly ListedSession[] {
  const sign = order === "asc" ? 1 : -1;
  // The sort is stable, so equals stay newest first.
  return rows.toSorted((left, right) => {
    const [one, other] = [left.kept[sort], right.kept[sort]];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return one === other ? 0 : one < other ? -sign : sign;
  });
}

const tally = (names: readonly string[]): SessionTally[] =>
  tallied([...Map.groupBy(names, (name) => name)].map(([name, all]) => ({ name, sessions: all.length })));

/** Most first. */
export const tallied = (rows: readonly SessionTally[]): SessionTally[] =>
  [...rows]
    .sort((one, other) => other.sessions - one.sessions || (one.name < other.name ? -1 : 1))
    .slice(0, MAX_TALLIES);
