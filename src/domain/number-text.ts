/** `1,997`. */
export const countText = (count: number) => count.toLocaleString("en-US");

/** A count with its noun: `1 file`, `2,000 files`. */
export const counted = (count: number, noun: string) => `${countText(count)} ${noun}${count === 1 ? "" : "s"}`;

/** Shares at which a reader concludes something. */
const LANDMARKS = [0, 0.5, 1];

/** By so much may a share be off that was summed from fractions. */
const ROUNDING = 1e-12;

/** Whole percents, with one decimal where they would read 0, 50 or 100 and are not: `50.4%`, `just above 50%`, `over 99.9%`. */
export function percentText(share: number): string {
  for (const decimals of [0, 1]) {
    const text = (share * 100).toFixed(decimals);
    const landmark = LANDMARKS.find((one) => one * 100 === Number(text));
    if (landmark === undefined || Math.abs(landmark - share) < ROUNDING) return `${text}%`;
  }
  if (share < 0.25) return "below 0.1%";
  if (share > 0.75) return "over 99.9%";
  return `just ${share > 0.5 ? "above" : "below"} 50%`;
}

/** US dollars to a hundredth of a cent; what is not known is a dash, never $0. */
export function usdText(usd: number | null): string {
  if (usd === null) return "–";
  if (usd === 0) return "$0";
  return usd < 0.000_1 ? "<$0.0001" : `$${usd.toFixed(4)}`;
}

/** `0 ms`, `under 1 ms`, `38 ms`, `4.2 s`, `3 min 20 s`. */
export function durationText(ms: number): string {
  if (ms > 0 && ms < 0.5) return "under 1 ms";
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const rest = seconds % 60;
  return `${Math.floor(seconds / 60)} min${rest === 0 ? "" : ` ${rest} s`}`;
}

/** `2026-11-25 12:41 UTC`, of a time as the API gives it. */
export const momentText = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
