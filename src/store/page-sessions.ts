import {
  inLowerCase,
  MAX_TALLIES,
  type SessionFilter,
  type SessionListing,
  type SessionListRequest,
  type SessionSort,
  type SessionSummary,
  type SessionSummaryRequest,
  type SessionTally,
  searchedWords,
} from "../domain/session-list.ts";
import { sumKnown } from "../domain/usage.ts";

/** Answers a query from all listings, which are given newest first. */
export function chooseListings(rows: readonly SessionListing[], query: SessionListRequest): readonly SessionListing[] {
  const { sort = "created", order = "desc", offset = 0, limit } = query;
  const matching = matchingRows(rows, query);
  const sorted =
    sort === "created" ? (order === "desc" ? matching : matching.reverse()) : inOrder(matching, sort, order);
  return sorted.slice(offset, limit === undefined ? undefined : offset + limit);
}

export function summarize(
  rows: readonly SessionListing[],
  { names, ...filter }: SessionSummaryRequest,
): SessionSummary {
  const matching = matchingRows(rows, filter);
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

function matchingRows(rows: readonly SessionListing[], filter: SessionFilter): SessionListing[] {
  const { scenario, input, state, series_id, outcome, model, judge, user, text, blind } = filter;
  const words = searchedWords(text);
  return rows.filter(
    (row) =>
      (scenario ?? row.scenario) === row.scenario &&
      (input === undefined || row.input === input) &&
      (state ?? row.state) === row.state &&
      (series_id === undefined || row.trial?.series_id === series_id) &&
      (outcome === undefined || row.outcome === outcome) &&
      (model === undefined || row.arms.some((arm) => arm.model === model)) &&
      (judge === undefined || row.judge_model === judge) &&
      (user === undefined || row.user === user) &&
      isOfKind(row, filter) &&
      (words.length === 0 || includesAll(searchedText(blind ? { ...row, outcome: null, winner: null } : row), words)),
  );
}

const isOfKind = (row: SessionListing, { conflict, trials }: SessionFilter) =>
  (conflict === undefined || row.conflict === true) && (trials === undefined || row.trial === undefined);

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

export const listedResult = ({ outcome, state }: SessionListing) => outcome ?? state;

/** How far apart the arms' scores are; null where one is unknown. */
export const scoreGap = ({ arms: [a, b] }: SessionListing): number | null =>
  typeof a?.score === "number" && typeof b?.score === "number" ? Math.abs(a.score - b.score) : null;

const KEYS: Readonly<Record<Exclude<SessionSort, "created">, (row: SessionListing) => string | number | null>> = {
  scenario: ({ scenario }) => scenario,
  result: listedResult,
  gap: scoreGap,
  cost: ({ cost_usd }) => cost_usd ?? null,
  duration: ({ wall_ms }) => wall_ms ?? null,
};

function inOrder(rows: readonly SessionListing[], sort: keyof typeof KEYS, order: "asc" | "desc"): SessionListing[] {
  const keyed = rows.map((row) => ({ row, key: KEYS[sort](row) }));
  const sign = order === "asc" ? 1 : -1;
  // The sort is stable, so equals stay newest first.
  keyed.sort(({ key: one }, { key: other }) => {
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return one === other ? 0 : one < other ? -sign : sign;
  });
  return keyed.map(({ row }) => row);
}

const tally = (names: readonly string[]): SessionTally[] =>
  tallied([...Map.groupBy(names, (name) => name)].map(([name, all]) => ({ name, sessions: all.length })));

/** Most first. */
export const tallied = (rows: readonly SessionTally[]): SessionTally[] =>
  [...rows]
    .sort((one, other) => other.sessions - one.sessions || (one.name < other.name ? -1 : 1))
    .slice(0, MAX_TALLIES);
