import type { Side } from "../../domain/verdict.ts";
import type { Subject } from "../words/subject.ts";
import type { CountedTrial } from "./tally.ts";

/** A difference of two decimals, or a sum of fractions that is 0, misses it by some billionths. */
export const ROUNDING = 1e-9;

/** The score of an arm in a trial of a table; else 1 where it solved the task. */
export const valueIn = ({ scores }: Pick<Subject, "scores">, { row }: CountedTrial, side: Side): number =>
  scores?.get(row.session_id)?.[side] ?? (row.arms[side].solved ? 1 : 0);
