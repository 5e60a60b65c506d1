/** A stored session as whoever makes space sees it. */
export interface PrunableSession {
  readonly session_id: string;
  readonly series_id: string | null;
  readonly scenario: string;
  readonly ended: boolean;
  /** Of its row, its log and its JSON copy. */
  readonly bytes: number;
}

export interface PrunableSeries {
  readonly series_id: string;
  /** Null where the record is damaged. */
  readonly created_at: string | null;
  /** Of its row. */
  readonly bytes: number;
  /** Nobody runs it, or is to run it. */
  readonly ended: boolean;
  /** The series whose runs stand in for one of its arms. */
  readonly baseline: string | null;
}

/** What goes together: a session, or a series with all of its trials, whose claim could not be computed without one of them. */
export interface PrunedUnit {
  readonly kind: "session" | "series";
  readonly id: string;
  readonly sessions: number;
  readonly bytes: number;
  /** When its oldest and newest session were accepted, milliseconds; null where neither an id nor a record says it. */
  readonly first: number | null;
  readonly last: number | null;
}

/** Forgets sessions for good. @throws Failure `storage_full` or `storage_failed`, from every method */
export interface Pruning {
  /** All of them, the oldest first, in pages. */
  sessions(): AsyncIterable<readonly PrunableSession[]>;
  series(): Promise<readonly PrunableSeries[]>;
  /** All of these or none, in one write. What goes on by now stays, a series as a whole. Gives how many sessions went. */
  forget(units: readonly Pick<PrunedUnit, "kind" | "id">[]): Promise<number>;
  /** Gives the space back to the disk; its bytes, and null where the database keeps it for what comes. */
  compact(): Promise<number | null>;
}

interface PruneRequest {
  /** Accepted before it, milliseconds; of a series, its newest trial. */
  readonly before?: number | undefined;
  /** The oldest go until no more bytes are left. */
  readonly keep_bytes?: number | undefined;
  /** Only these; empty: any. */
  readonly scenarios: readonly string[];
}

export interface PrunePlan {
  /** The oldest first. */
  readonly goes: readonly PrunedUnit[];
  readonly stays: readonly PrunedUnit[];
  /** Sessions and series that go on. */
  readonly open: number;
  /** Series that run other scenarios too. */
  readonly partly: readonly string[];
  /** Series that others which stay take as their baseline. */
  readonly baselines: readonly string[];
}

interface Unit extends PrunedUnit {
  readonly ended: boolean;
  readonly scenarios: ReadonlySet<string>;
}

/** What would go. Changes nothing. */
export async function planPrune(pruning: Pruning, request: PruneRequest): Promise<PrunePlan> {
  const series = await pruning.series();
  const units = await unitsOf(pruning, series);
  const isNamed = (scenario: string) => request.scenarios.length === 0 || request.scenarios.includes(scenario);
  const isOld = ({ last }: Unit) => request.before === undefined || (last !== null && last < request.before);
  // A series without sessions is of no scenario, so it goes only where none is named.
  const all = (one: Unit) =>
    request.scenarios.length === 0 || (one.scenarios.size > 0 && [...one.scenarios].every(isNamed));
  const goes: Unit[] = [];
  let left = units.reduce((sum, { bytes }) => sum + bytes, 0);
  const take = (from: readonly Unit[]) => {
    for (const one of from) {
      if (left <= (request.keep_bytes ?? -1)) return;
      goes.push(one);
      left -= one.bytes;
    }
  };
  const fitting = units.filter((one) => one.ended && isOld(one) && all(one));
  const bases = new Set(series.flatMap(({ baseline }) => baseline ?? []));
  take(fitting.filter(({ id }) => !bases.has(id)));
  const gone = new Set(goes.map(({ id }) => id));
  const needed = new Set(series.flatMap(({ series_id, baseline }) => (gone.has(series_id) ? [] : (baseline ?? []))));
  take(fitting.filter(({ id }) => bases.has(id) && !needed.has(id)));
  const chosen = new Set(goes);
  return {
    goes,
    stays: units.filter((one) => !chosen.has(one)),
    open: units.filter(({ ended }) => !ended).length,
    partly: ids(units.filter((one) => one.ended && isOld(one) && !all(one) && [...one.scenarios].some(isNamed))),
    baselines: ids(fitting.filter(({ id }) => needed.has(id))),
  };
}

const ids = (units: readonly Unit[]) => units.map(({ id }) => id);

/** Sessions that are forgotten in one write: readers and signs of life come in between. */
const SESSIONS_AT_ONCE = 200;

/** Forgets them. A kill leaves those that had not gone yet, each whole. Gives how many sessions went. */
export async function prune(pruning: Pruning, units: readonly PrunedUnit[]): Promise<number> {
  let gone = 0;
  for (let at = 0; at < units.length; ) {
    const batch: PrunedUnit[] = [];
    for (let sessions = 0; at < units.length && (sessions === 0 || sessions < SESSIONS_AT_ONCE); at += 1) {
      const unit = units[at] as PrunedUnit; // below the length
      sessions += Math.max(1, unit.sessions);
      batch.push(unit);
    }
    gone += await pruning.forget(batch);
  }
  return gone;
}

/** The oldest first, by their oldest session. */
async function unitsOf(pruning: Pruning, series: Awaited<ReturnType<Pruning["series"]>>): Promise<readonly Unit[]> {
  const units: Unit[] = [];
  const growing = new Map(
    series.map(({ series_id: id, created_at, bytes, ended }) => [
      id,
      { kind: "series" as const, id, sessions: 0, bytes, ended, ...from(id, created_at), scenarios: new Set<string>() },
    ]),
  );
  for await (const page of pruning.sessions())
    for (const { session_id, series_id, scenario, ended, bytes } of page) {
      const whole = series_id === null ? undefined : growing.get(series_id);
      if (!whole) {
        const scenarios = new Set([scenario]);
        units.push({ kind: "session", id: session_id, sessions: 1, bytes, ended, ...from(session_id), scenarios });
        continue;
      }
      if (whole.sessions === 0) units.push(whole);
      whole.sessions += 1;
      whole.bytes += bytes;
      whole.ended &&= ended;
      whole.last = acceptedAt(session_id);
      whole.scenarios.add(scenario);
    }
  // Those of which no trial was ever begun, tables of results among them, are not among the sessions.
  const empty = [...growing.values()].filter(({ sessions }) => sessions === 0);
  return [...units, ...empty].sort((one, other) => (one.first ?? Infinity) - (other.first ?? Infinity) || 0);
}

/** The id of a table of results says no time. */
function from(id: string, created_at: string | null = null) {
  const recorded = Date.parse(created_at ?? "");
  const at = acceptedAt(id) ?? (Number.isNaN(recorded) ? null : recorded);
  return { first: at, last: at };
}

/** As the id of a session or a series says it. */
function acceptedAt(id: string): number | null {
  const at = /-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z(-[0-9a-f]{8})?$/.exec(id);
  const ms = at ? Date.parse(`${at[1]}-${at[2]}-${at[3]}T${at[4]}:${at[5]}:${at[6]}.${at[7]}Z`) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}
