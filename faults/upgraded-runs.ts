import type { SessionOutcome } from "../src/domain/session.ts";
import { isFinal } from "../src/domain/session-state.ts";
import { foldLog } from "../src/store/read-session.ts";
import type { StoredEntry } from "../test/postgres/fleet.ts";
import { problemsOfLogs } from "../test/postgres/whole-logs.ts";
import { type Followed, problemsOfFollowed } from "./followed.ts";
import { problemsOf } from "./invariants.ts";

/** What a site has stored. */
export interface Kept {
  readonly entries: readonly StoredEntry[];
  readonly series: readonly { readonly series_id: string; readonly state: string }[];
}

interface Asked {
  readonly accepted: readonly string[];
  readonly series: readonly string[];
  readonly followed: readonly Followed[];
}

export interface Found {
  readonly counts: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}

/** Looks at everything that was accepted. `url` is that of the server that runs at the end. */
export async function foundIn(kept: Kept, { accepted, series, followed }: Asked, url: string): Promise<Found> {
  const logs = Map.groupBy(kept.entries, ({ session_id }) => session_id);
  const outcomes = new Map([...logs].map(([id, log]) => [id, foldLog(log)]));
  const told = [...outcomes.values()].filter((outcome) => outcome !== undefined);
  const trials = told.filter(({ trial }) => trial !== undefined);
  const states = new Map(kept.series.map(({ series_id, state }) => [series_id, state]));
  const lost = [...accepted.filter((id) => !logs.has(id)), ...series.filter((id) => !states.has(id))];
  const open = told.filter(({ state }) => !isFinal(state)).map(({ session_id }) => session_id);
  const stranded = [...open, ...series.filter((id) => states.get(id) === "running")];
  const closed = told.filter(({ session_id }) => !open.includes(session_id));
  const half = [...closed.flatMap(problemsOf), ...problemsOfStreams(followed, logs), ...unfolded(outcomes)];
  const logProblems = problemsOfLogs(kept.entries.filter(({ session_id }) => !open.includes(session_id)));
  const doubled = [...logProblems, ...twiceGiven(trials)];
  const unread = await countUnread([...logs.keys()], url);
  const failed = closed.flatMap(({ session_id, state, failure }) =>
    state === "failed" || state === "cancelled" ? [`${session_id} ${failure?.message}`] : [],
  );
  const all = { lost, stranded, half, doubled, failed };
  return {
    counts: {
      accepted: accepted.length + trials.length,
      ...Object.fromEntries(Object.entries(all).map(([name, ids]) => [name, ids.length])),
      interrupted: closed.filter(({ state }) => state === "interrupted").length,
      "not shown by the version at the end": unread,
    },
    problems: Object.entries(all).flatMap(([name, ids]) => ids.map((id) => `${name}: ${id}`)),
  };
}

const problemsOfStreams = (followed: readonly Followed[], logs: ReadonlyMap<string, readonly StoredEntry[]>) =>
  followed.flatMap((one) =>
    problemsOfFollowed(one, logs.get(one.session_id) ?? []).map((problem) => `${one.session_id} ${problem}`),
  );

const unfolded = (outcomes: ReadonlyMap<string, SessionOutcome | undefined>) =>
  [...outcomes].flatMap(([id, outcome]) => (outcome === undefined ? [`${id} is no log`] : []));

/** Rounds of a series that have two results. */
function twiceGiven(trials: readonly SessionOutcome[]): readonly string[] {
  const given = trials.filter(({ state }) => state === "completed");
  const rounds = Map.groupBy(given, ({ trial }) => `${trial?.series_id} round ${trial?.round}`);
  return [...rounds].flatMap(([name, own]) => (own.length > 1 ? [`${name} has ${own.length} results`] : []));
}

async function countUnread(ids: readonly string[], url: string): Promise<number> {
  const answers = await Promise.all(ids.map((id) => fetch(`${url}/api/sessions/${id}`)));
  return answers.filter(({ ok }) => !ok).length;
}
