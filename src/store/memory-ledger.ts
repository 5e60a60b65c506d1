import { exceeds, type Ledger, type LedgerEntry } from "./ledger.ts";

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
      if (exceeds(spending, entry.usd, limit)) return spending;
      open.set(entry.id, entry);
      return undefined;
    },
    async settle({ id, day, usd }) {
      open.delete(id);
      settled.set(day, (settled.get(day) ?? 0) + usd);
    },
  };
}
