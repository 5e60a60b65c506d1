import { memberName } from "../../domain/member.ts";
import type { SkillCount } from "../../domain/series-arm.ts";
import type { TrialRow } from "../../domain/trial.ts";
import type { Side } from "../../domain/verdict.ts";

/** Skills that are told of. */
const MOST = 20;

/** Counts the completed trials in which an arm read each skill, and what became of these and of the others. */
export function skillsOf(rows: readonly TrialRow[], side: Side): SkillCount[] {
  const completed = rows.filter(({ state }) => state === "completed");
  const names = new Set(completed.flatMap(({ skills }) => Object.keys(skills?.[side] ?? {})));
  return [...names]
    .toSorted()
    .slice(0, MOST)
    .map((name) => {
      // A row names what was given or read: in the other trials of its scenario the skill was not read.
      const isTold = ({ skills }: TrialRow) => Object.hasOwn(skills?.[side] ?? {}, name);
      const members = new Set(completed.filter(isTold).map(memberName));
      const known = completed.filter((row) => members.has(memberName(row)));
      const fired = known.filter(({ skills }) => skills?.[side][name] === true);
      const silent = known.filter((row) => !fired.includes(row));
      return {
        ...{ name, fired: fired.length, trials: known.length },
        ...{ solved_fired: solvedAmong(fired, side), solved_silent: solvedAmong(silent, side) },
      };
    });
}

function solvedAmong(rows: readonly TrialRow[], side: Side): SkillCount["solved_fired"] {
  const known = rows.flatMap(({ arms }) => arms[side].solved ?? []);
  return { solved: known.filter(Boolean).length, trials: known.length };
}
