import { SIDES } from "../../domain/verdict.ts";
import type { Subject } from "../words/subject.ts";
import type { CountedTrial, Tally } from "./tally.ts";
import { valueIn } from "./value-in.ts";

/**
 * The tallies of a table of results. Where no scenario with several trials ever gave another result, of either arm, the trials look like
 * copies: each scenario counts once. A single scenario that never varies is no copy: of published pairs of agents 57% of the tasks do not
 * vary, and they hold 27% of the trials that one agent alone solved.
 */
export function withoutConstant(tallies: readonly Tally[], subject: Pick<Subject, "measure">): readonly Tally[] {
  const repeated = tallies.filter(({ counted }) => counted.length > 1);
  const isConstant = repeated.length > 0 && repeated.every(({ counted }) => isAlike(counted, subject));
  return isConstant ? tallies.map(onceOf) : tallies;
}

const isAlike = (counted: readonly CountedTrial[], subject: Pick<Subject, "measure">): boolean =>
  SIDES.every((side) => new Set(counted.map((trial) => valueIn(subject, trial, side))).size === 1);

function onceOf(tally: Tally): Tally {
  const [first] = tally.counted;
  if (!first) return { ...tally, rows: tally.rows.slice(0, 1) };
  const missing = { invalid: 0, failed: 0, cancelled: 0 };
  return { ...tally, rows: [first.row], counted: [{ ...first, round: 1 }], missing };
}
