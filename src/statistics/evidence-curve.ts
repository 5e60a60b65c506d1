import type { Series } from "../domain/series.ts";

/** Evidence at the start and after each complete round. Every scenario has one counted trial in each. */
export const evidenceCurve = ({ trials, scenarios }: Pick<Series, "trials" | "scenarios">): readonly number[] => [
  1,
  ...trials.flatMap(({ scenario, e_after }) =>
    scenario === scenarios[0]?.scenario && e_after !== null ? [e_after] : [],
  ),
];

export const tickText = (tick: number): string => (tick >= 0.001 && tick < 1e6 ? `${tick}` : tick.toExponential());

/** A logarithmic axis: where a value stands, and the powers of ten that are named. */
interface LogAxis {
  /** The distance from the lower end, 0 to 1; a value beyond an end is drawn at that end. */
  readonly share: (value: number) => number;
  readonly ticks: readonly number[];
}

/** Powers of ten named at most. */
const TICKS = 5;
/** Beyond it lies what no double holds, or nothing that anybody wants to tell apart. */
const FARTHEST = 300;

/** Holds all values and a little more. Every value is at least 0. */
export function logAxis(values: readonly number[]): LogAxis {
  const logs = values.map(logOf);
  const low = Math.floor(Math.min(...logs) * 2) / 2 - 0.25;
  const high = Math.ceil(Math.max(...logs) * 2) / 2 + 0.25;
  const share = (value: number) => Math.max(0, Math.min(1, (logOf(value) - low) / (high - low)));
  const step = Math.ceil((high - low) / TICKS);
  const first = Math.ceil(low / step) * step;
  const count = Math.max(0, Math.floor((high - first) / step) + 1);
  return { share, ticks: Array.from({ length: count }, (_, index) => 10 ** (first + index * step)) };
}

const logOf = (value: number) => Math.max(-FARTHEST, Math.min(FARTHEST, Math.log10(value)));
