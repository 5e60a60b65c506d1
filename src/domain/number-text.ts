/** A count with its noun: `1 file`, `2,000 files`. */
export const counted = (count: number, noun: string) =>
  `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;

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
