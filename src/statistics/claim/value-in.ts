import type { Side } from "../../domain/verdict.ts";
import type { Subject } from "../words/subject.ts";
import type { CountedTrial } from "./tally.ts";

/** The score of an arm in a trial, where scores are measured; else 1 where it solved the task. */
export const valueIn = ({ measure }: Pick<Subject, "measure">, { row }: CountedTrial, side: Side): number => {
  const { score = 0, solved } = row.arms[side];
  return measure === "score" ? score : solved ? 1 : 0;
};
