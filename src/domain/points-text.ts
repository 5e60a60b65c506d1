/** Differences at which a reader concludes something. */
const LANDMARKS = [-1, 0, 1];

/** By so much may a difference be off that was summed from fractions. */
const ROUNDING = 1e-12;

/** A difference in points with its sign: `+44`, `-7`, `0`; with decimals where it would read 0 or 100 and is not: `+0.4`. */
export function signedPoints(share: number): string {
  for (const decimals of [0, 1, 2]) {
    const points = Number((share * 100).toFixed(decimals));
    const landmark = LANDMARKS.find((one) => one * 100 === points);
    if (landmark === undefined || Math.abs(landmark - share) < ROUNDING) return signed(points);
  }
  const landmark = Math.round(share);
  return `just ${share < landmark ? "below" : "above"} ${signed(landmark * 100)}`;
}

/** Without the sign of a zero. */
const signed = (points: number) => (points > 0 ? `+${points}` : String(points + 0));

/** How far the candidate lies from the control: `44 points more`, `1 point less`, `level`. */
export function distanceText(share: number): string {
  if (Math.abs(share) < ROUNDING) return "level";
  const points = signedPoints(Math.abs(share)).replace("+", "");
  return `${points} ${points === "1" ? "point" : "points"} ${share > 0 ? "more" : "less"}`;
}
