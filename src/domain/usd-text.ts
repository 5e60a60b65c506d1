/** US dollars to a hundredth of a cent; what is not known is a dash, never $0. */
export function usdText(usd: number | null): string {
  if (usd === null) return "–";
  if (usd === 0) return "$0";
  return usd < 0.000_1 ? "<$0.0001" : `$${usd.toFixed(4)}`;
}
