import { memberName } from "../domain/member.ts";
import type { Series } from "../domain/series.ts";

type Told = Pick<Series, "kind" | "trials" | "scenarios">;

/** Evidence at the start and after each complete round, whichever scenarios have a trial in it. */
export function evidenceCurve(series: Told): readonly number[] {
  const counted = series.trials.filter(({ e_after }) => e_after !== null);
  if (series.kind !== "results") return [1, ...inEachRound(series, counted).flatMap(({ e_after }) => e_after ?? [])];
  const rounds = new Map(counted.map(({ round, e_after }) => [round, e_after ?? 1]));
  return [1, ...[...rounds].sort(([one], [other]) => one - other).map(([, e]) => e)];
}

/** The round with which the claim was made; 0 without one. */
export function roundOfClaim(series: Told): number {
  const used = series.trials.filter(({ used_for_claim }) => used_for_claim);
  if (series.kind !== "results") return inEachRound(series, used).length;
  return used.reduce((last, { round }) => Math.max(last, round), 0);
}

/** Of some trials those of a scenario that has one in each round: no row that was given up. */
function inEachRound({ scenarios }: Told, trials: Series["trials"]): Series["trials"] {
  const going = scenarios.find(({ given_up }) => !given_up);
  const name = going && memberName(going);
  return trials.filter((trial) => memberName(trial) === name);
}

/** A power of ten in few characters: `1000`, `10⁹`. */
export function tickText(tick: number): string {
  if (tick >= 0.001 && tick < 1e6) return `${tick}`;
  const power = String(Math.round(Math.log10(tick)));
  return `10${[...power].map((digit) => (digit === "-" ? "⁻" : RAISED[Number(digit)])).join("")}`;
}

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

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
