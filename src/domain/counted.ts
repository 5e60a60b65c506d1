/** A count with its noun: `1 file`, `2 files`. */
export const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;
