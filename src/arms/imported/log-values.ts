import { asRecords, asText } from "../../domain/lenient.ts";

/** A text, or the texts among the parts of a message. */
export const textOfParts = (value: unknown): string =>
  typeof value === "string"
    ? value
    : asRecords(value)
        .flatMap((part) => asText(part["text"]) ?? [])
        .join("\n");

/** A moment as sessions write it; null for what is none. */
export function timeIn(value: unknown): string | null {
  if (typeof value !== "string" || value.length > TIME_CHARS) return null;
  const ms = Date.parse(value);
  return Number.isFinite(ms) && ms >= 0 && ms < YEAR_10000 ? new Date(ms).toISOString() : null;
}

const TIME_CHARS = 40;
const YEAR_10000 = 253_402_300_800_000;
