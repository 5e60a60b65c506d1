import { query, type SqlDriver, type SqlSteps } from "./sql.ts";

/** Money that was spent, or is set aside for what runs. */
interface LedgerEntry {
  /** Unique; the same for what is set aside and for what it came to. */
  readonly id: string;
  /** UTC, `yyyy-mm-dd`. */
  readonly day: string;
  readonly usd: number;
}

/** What was spent on a day, and what is set aside for work that goes on, whenever that began. USD. */
export interface Spending {
  readonly spent: number;
  readonly reserved: number;
}

/**
 * What all processes on the same store spend. What a process set aside before it died counts as spent.
 * @throws Failure `storage_full` or `storage_failed`.
 */
export interface Ledger {
  /** Sets the money aside. When the day would then pass `limit` nothing changes, and what the day has so far is given. */
  reserve(entry: LedgerEntry, limit: number): Promise<Spending | undefined>;
  /** What it came to, in place of what was set aside. */
  settle(entry: LedgerEntry): Promise<void>;
  on(day: string): Promise<Spending>;
}

const exceedsLimit = ({ spent, reserved }: Spending, usd: number, limit: number): boolean =>
  // Sums of fractions of a cent are off by some billionths.
  spent + reserved + usd > limit + 1e-9;

/** Forgotten with the process. */
export function memoryLedger(): Ledger {
  const open = new Map<string, LedgerEntry>();
  const settled = new Map<string, number>();
  const spendingOn = (day: string) => ({
    spent: settled.get(day) ?? 0,
    reserved: [...open.values()].reduce((sum, { usd }) => sum + usd, 0),
  });
  return {
    on: async (day) => spendingOn(day),
    async reserve(entry, limit) {
      const spending = spendingOn(entry.day);
      if (exceedsLimit(spending, entry.usd, limit)) return spending;
      open.set(entry.id, entry);
      return undefined;
    },
    async settle({ id, day, usd }) {
      open.delete(id);
      settled.set(day, (settled.get(day) ?? 0) + usd);
    },
  };
}

/** How a database tells what is still set aside. */
interface SqlReserves {
  /** The owner of what this process sets aside. */
  readonly me: string;
  /** Whether the process that set a row aside lives, as far as the row itself says. */
  readonly is_open: string;
  /** Keeps others that reserve waiting until the transaction ends. Absent: no two write at a time. */
  readonly lock?: () => SqlSteps<unknown>;
  /** Counts as spent what dead processes set aside. Absent: `is_open` tells. */
  readonly settleDead?: () => SqlSteps<unknown>;
}

/**
 * Rows without an owner, and those of dead processes, are spent; the others are set aside. Nobody knows what a process that
 * died had come to: all that it set aside counts, on the day when it did so.
 */
export function sqlLedger({ read, write }: SqlDriver, { me, is_open, lock, settleDead }: SqlReserves): Ledger {
  const text = spendingWhere(is_open);
  function* spendingOn(day: string, except: string): SqlSteps<Spending> {
    const [row] = yield* query<Spending>(text, { day, except });
    return { spent: row?.spent ?? 0, reserved: row?.reserved ?? 0 };
  }
  function* reserve({ id, day, usd }: LedgerEntry, limit: number): SqlSteps<Spending | undefined> {
    if (lock) yield* lock();
    // Its own row is left out: an earlier try may have stored it.
    if (settleDead && exceedsLimit(yield* spendingOn(day, id), usd, limit)) yield* settleDead();
    const spending = yield* spendingOn(day, id);
    if (exceedsLimit(spending, usd, limit)) return spending;
    yield* query(WRITE, { id, day, usd, owner: me });
    return undefined;
  }
  return {
    reserve: (entry, limit) => write(() => reserve(entry, limit)),
    async settle({ id, day, usd }) {
      await write(() => query(WRITE, { id, day, usd, owner: null }));
    },
    on: (day) => read(() => spendingOn(day, "")),
  };
}

const spendingWhere = (
  is_open: string,
) => `SELECT coalesce(sum(usd) FILTER (WHERE NOT open AND day = $day), 0) AS spent,
    coalesce(sum(usd) FILTER (WHERE open), 0) AS reserved
  FROM (SELECT day, usd, owner IS NOT NULL AND ${is_open} AS open FROM @spending
    WHERE (day = $day OR owner IS NOT NULL) AND id <> $except) AS entries`;

const WRITE = `INSERT INTO @spending (id, day, usd, owner) VALUES ($id, $day, $usd, $owner)
  ON CONFLICT (id) DO UPDATE SET day = excluded.day, usd = excluded.usd, owner = excluded.owner`;
