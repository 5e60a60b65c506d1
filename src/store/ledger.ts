/** Money that was spent, or is set aside for what runs. */
export interface LedgerEntry {
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

export const exceedsLimit = ({ spent, reserved }: Spending, usd: number, limit: number): boolean =>
  // Sums of fractions of a cent are off by some billionths.
  spent + reserved + usd > limit + 1e-9;
