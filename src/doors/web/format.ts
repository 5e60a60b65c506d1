import { durationText, usdText } from "../../domain/number-text.ts";

/** Numbers as text, with their unit and no more digits than they mean. */

const cents = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

export const UNKNOWN = "unknown";

export const count = (value: number) => whole.format(value);

/** An id as long as a digest is cut; what shows it has the whole as its title. */
export const idText = (id: string) => (id.length > 40 ? `${id.slice(0, 20)}…` : id);

/** `1 file`, `3 files`. */
export const countOf = (value: number, one: string, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

export const duration = (ms: number | null) => (ms === null ? UNKNOWN : durationText(ms));

export const tokens = (value: number | null) => (value === null ? UNKNOWN : countOf(value, "token"));

export function usd(value: number | null): string {
  if (value === null) return UNKNOWN;
  return value < 0.01 ? usdText(value) : `$${cents.format(value)}`;
}

/** A score or share, 0 to 1. */
export const score = (value: number | null) => (value === null ? "not scored" : value.toFixed(2));

export const signed = (value: number) => `${value > 0 ? "+" : value < 0 ? "−" : "±"}${Math.abs(value).toFixed(2)}`;

/** Date and minute in the reader's time zone. */
const moment = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
export const when = (iso: string) => moment.format(new Date(iso));

const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" });

/** `5 min ago`; the date once a week has passed. `now` is in milliseconds since 1970. */
export function ago(iso: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(iso)) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  if (minutes < 7 * 24 * 60) return `${Math.floor(minutes / 24 / 60)} d ago`;
  return day.format(new Date(iso));
}

/** A word of the API as a reader expects it: `limit_reached` becomes "limit reached". */
export const words = (code: string) => code.replaceAll("_", " ");

/** The text for a word; for one that a newer version has added, the word itself. */
export const named = <Word extends string>(texts: Readonly<Record<Word, string>>, word: Word): string =>
  Object.hasOwn(texts, word) ? texts[word] : words(word);
